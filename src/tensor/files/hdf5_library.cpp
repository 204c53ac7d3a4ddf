#include "tensor/files/hdf5_library.h"

#include <dlfcn.h>

#include <memory>

namespace spc::tensor {

namespace {

/// Debian's names come first: there, those without _serial may be for MPI.
constexpr const char *kLibraries[] = {"libhdf5_serial.so.103", "libhdf5_serial.so.310", "libhdf5.so.103",
                                      "libhdf5.so.200",        "libhdf5.so.310",        "libhdf5.so"};

/// Looks symbols up, and knows whether all were there.
class SymbolFinder {
public:
  explicit SymbolFinder(void *library) : library_(library) {}

  template <typename Pointer> void operator()(Pointer &pointer, const char *name, const char *orElse = nullptr) {
    void *symbol = dlsym(library_, name);
    if (!symbol && orElse)
      symbol = dlsym(library_, orElse);
    pointer = reinterpret_cast<Pointer>(symbol);
    hasAll_ = hasAll_ && symbol;
  }

  bool hasAll() const { return hasAll_; }

private:
  void *library_;
  bool hasAll_ = true;
};

void findFiles(SymbolFinder &find, Hdf5Library &hdf5) {
  find(hdf5.open, "H5open");
  find(hdf5.dontAtExit, "H5dont_atexit");
  find(hdf5.version, "H5get_libversion");
  find(hdf5.setErrorPrinter, "H5Eset_auto2");
  find(hdf5.setPlugins, "H5PLset_loading_state");
  find(hdf5.createProperties, "H5Pcreate");
  find(hdf5.setInMemory, "H5Pset_fapl_core");
  find(hdf5.setImage, "H5Pset_file_image");
  find(hdf5.countExternal, "H5Pget_external_count");
  find(hdf5.layout, "H5Pget_layout");
  find(hdf5.trackTimes, "H5Pset_obj_track_times");
  find(hdf5.openFile, "H5Fopen");
  find(hdf5.createFile, "H5Fcreate");
  find(hdf5.closeFile, "H5Fclose");
  find(hdf5.flush, "H5Fflush");
  find(hdf5.image, "H5Fget_file_image");
  find(hdf5.linkExists, "H5Lexists");
  find(hdf5.linkInfo, "H5Lget_info1", "H5Lget_info");
  find(hdf5.linkName, "H5Lget_name_by_idx");
  find(hdf5.openGroup, "H5Gopen2");
  find(hdf5.groupInfo, "H5Gget_info");
}

void findData(SymbolFinder &find, Hdf5Library &hdf5) {
  find(hdf5.attributeExists, "H5Aexists");
  find(hdf5.openAttribute, "H5Aopen");
  find(hdf5.createAttribute, "H5Acreate2");
  find(hdf5.readAttribute, "H5Aread");
  find(hdf5.writeAttribute, "H5Awrite");
  find(hdf5.closeAttribute, "H5Aclose");
  find(hdf5.attributeType, "H5Aget_type");
  find(hdf5.attributeSpace, "H5Aget_space");
  find(hdf5.openDataset, "H5Dopen2");
  find(hdf5.createDataset, "H5Dcreate2");
  find(hdf5.datasetSpace, "H5Dget_space");
  find(hdf5.datasetType, "H5Dget_type");
  find(hdf5.datasetProperties, "H5Dget_create_plist");
  find(hdf5.readDataset, "H5Dread");
  find(hdf5.writeDataset, "H5Dwrite");
  find(hdf5.closeDataset, "H5Dclose");
}

void findTypes(SymbolFinder &find, Hdf5Library &hdf5) {
  find(hdf5.createSpace, "H5Screate");
  find(hdf5.createExtents, "H5Screate_simple");
  find(hdf5.selectBlock, "H5Sselect_hyperslab");
  find(hdf5.order, "H5Sget_simple_extent_ndims");
  find(hdf5.count, "H5Sget_simple_extent_npoints");
  find(hdf5.copyType, "H5Tcopy");
  find(hdf5.setSize, "H5Tset_size");
  find(hdf5.setCharacters, "H5Tset_cset");
  find(hdf5.typeClass, "H5Tget_class");
  find(hdf5.typeSize, "H5Tget_size");
  find(hdf5.isSigned, "H5Tget_sign");
  find(hdf5.nativeType, "H5Tget_native_type");
  find(hdf5.isVariableText, "H5Tis_variable_str");
  find(hdf5.fileAccess, "H5P_CLS_FILE_ACCESS_ID_g");
  find(hdf5.datasetCreation, "H5P_CLS_DATASET_CREATE_ID_g");
  find(hdf5.text, "H5T_C_S1_g");
  find(hdf5.i8, "H5T_NATIVE_INT8_g");
  find(hdf5.i16, "H5T_NATIVE_INT16_g");
  find(hdf5.i32, "H5T_NATIVE_INT32_g");
  find(hdf5.i64, "H5T_NATIVE_INT64_g");
  find(hdf5.u8, "H5T_NATIVE_UINT8_g");
  find(hdf5.u16, "H5T_NATIVE_UINT16_g");
  find(hdf5.u32, "H5T_NATIVE_UINT32_g");
  find(hdf5.u64, "H5T_NATIVE_UINT64_g");
  find(hdf5.f32, "H5T_NATIVE_FLOAT_g");
  find(hdf5.f64, "H5T_NATIVE_DOUBLE_g");
}

/// Before 1.10 numbers of objects have 32 bits.
bool isRecent(const Hdf5Library &hdf5) {
  unsigned major = 0, minor = 0, release = 0;
  return hdf5.version(&major, &minor, &release) >= 0 && (major > 1 || (major == 1 && minor >= 10));
}

std::unique_ptr<Hdf5Library> load() {
  void *library = nullptr; // stays loaded
  for (const char *name : kLibraries)
    if (!library)
      library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return nullptr;
  auto hdf5 = std::make_unique<Hdf5Library>();
  SymbolFinder find(library);
  findFiles(find, *hdf5);
  findData(find, *hdf5);
  findTypes(find, *hdf5);
  // Nothing may run in the library before it is told not to clean up at exit.
  if (!find.hasAll() || hdf5->dontAtExit() < 0 || !isRecent(*hdf5) || hdf5->open() < 0 || hdf5->setPlugins(0) < 0)
    return nullptr;
  hdf5->setErrorPrinter(kHdf5Default, nullptr, nullptr);
  return hdf5;
}

} // namespace

const Hdf5Library *hdf5Library() {
  static const std::unique_ptr<Hdf5Library> library = load();
  return library.get();
}

} // namespace spc::tensor
