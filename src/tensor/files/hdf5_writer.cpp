#include "tensor/files/hdf5_arrays.h"
#include "tensor/files/hdf5_library.h"

namespace spc::tensor {

namespace {

/// An object of the library, closed at the end.
struct Hdf5Object {
  Hdf5Id id;
  int (*close)(Hdf5Id);
  ~Hdf5Object() {
    if (id >= 0)
      close(id);
  }
};

/// The library's type of elements as they lie in memory.
Hdf5Id elementType(const Hdf5Library &hdf5, sema::ValueType type) {
  switch (type) {
  case sema::ValueType::I8:
    return *hdf5.i8;
  case sema::ValueType::I16:
    return *hdf5.i16;
  case sema::ValueType::I32:
    return *hdf5.i32;
  case sema::ValueType::I64:
    return *hdf5.i64;
  case sema::ValueType::U8:
  case sema::ValueType::Bool:
    return *hdf5.u8;
  case sema::ValueType::U16:
    return *hdf5.u16;
  case sema::ValueType::U32:
    return *hdf5.u32;
  case sema::ValueType::U64:
    return *hdf5.u64;
  case sema::ValueType::F16:
  case sema::ValueType::BF16:
  case sema::ValueType::F32:
  case sema::ValueType::CF32:
    return *hdf5.f32;
  case sema::ValueType::F64:
  case sema::ValueType::CF64:
    return *hdf5.f64;
  }
  return -1;
}

bool writeText(const Hdf5Library &hdf5, Hdf5Id file, const std::string &text) {
  constexpr int kScalar = 0, kUtf8 = 1;
  const Hdf5Id type = hdf5.copyType(*hdf5.text);
  if (type < 0 || hdf5.setSize(type, text.size() + 1) < 0 || hdf5.setCharacters(type, kUtf8) < 0)
    return false;
  const Hdf5Object attribute{
      hdf5.createAttribute(file, kBinsparseAttribute, type, hdf5.createSpace(kScalar), kHdf5Default, kHdf5Default),
      hdf5.closeAttribute};
  return attribute.id >= 0 && hdf5.writeAttribute(attribute.id, type, text.c_str()) >= 0;
}

/// Without the time of its making, so that equal tensors make equal files.
bool writeArray(const Hdf5Library &hdf5, Hdf5Id file, const Hdf5Array &array) {
  const Hdf5Id type = elementType(hdf5, array.type);
  const size_t parts = sema::isComplex(array.type) ? 2 : 1;
  const uint64_t count = array.elements.size() / static_cast<size_t>(sema::bytesOf(array.type)) * parts;
  const Hdf5Id creation = hdf5.createProperties(*hdf5.datasetCreation);
  if (creation < 0 || hdf5.trackTimes(creation, false) < 0)
    return false;
  const Hdf5Object dataset{hdf5.createDataset(file, array.name.c_str(), type, hdf5.createExtents(1, &count, nullptr),
                                              kHdf5Default, creation, kHdf5Default),
                           hdf5.closeDataset};
  return dataset.id >= 0 && (count == 0 || hdf5.writeDataset(dataset.id, type, kHdf5Default, kHdf5Default, kHdf5Default,
                                                             array.elements.data()) >= 0);
}

} // namespace

std::optional<std::string> writeHdf5(const std::string &attribute, const std::vector<Hdf5Array> &arrays) {
  constexpr unsigned kAnew = 2;
  constexpr int kWhole = 1;
  const Hdf5Library *hdf5 = hdf5Library();
  const Hdf5Id access = hdf5 ? hdf5->createProperties(*hdf5->fileAccess) : -1;
  if (access < 0 || hdf5->setInMemory(access, size_t{1} << 20, false) < 0)
    return std::nullopt;
  const Hdf5Object file{hdf5->createFile("data.h5", kAnew, kHdf5Default, access), hdf5->closeFile};
  if (file.id < 0 || !writeText(*hdf5, file.id, attribute))
    return std::nullopt;
  for (const Hdf5Array &array : arrays)
    if (!writeArray(*hdf5, file.id, array))
      return std::nullopt;
  if (hdf5->flush(file.id, kWhole) < 0)
    return std::nullopt;
  const ptrdiff_t bytes = hdf5->image(file.id, nullptr, 0);
  std::string image(bytes > 0 ? static_cast<size_t>(bytes) : 0, '\0');
  return bytes > 0 && hdf5->image(file.id, image.data(), image.size()) == bytes ? std::optional(std::move(image))
                                                                                : std::nullopt;
}

} // namespace spc::tensor
