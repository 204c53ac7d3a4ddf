// libhdf5, loaded where a file asks for it. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spc::tensor {

using Hdf5Id = int64_t; ///< of any object of the library; negative where there is none

// Numbers of the library's headers, which have not changed since 1.8.
constexpr Hdf5Id kHdf5Default = 0; ///< H5P_DEFAULT, H5S_ALL
constexpr int kHdf5Integers = 0, kHdf5Floats = 1, kHdf5Texts = 3;
constexpr int kHdf5Virtual = 3;  ///< a layout: elements are those of other files
constexpr int kHdf5HardLink = 0; ///< the only link that does not lead out of a file

/// The beginning of H5G_info_t.
struct Hdf5Group {
  int storage;
  uint64_t links;
  uint64_t rest[8];
};

/// The beginning of H5L_info1_t, with room for later ones.
struct Hdf5Link {
  int type;
  int rest[31];
};

/// The functions that are used, of 1.10 and later.
struct Hdf5Library {
  int (*open)();
  int (*dontAtExit)();
  int (*version)(unsigned *major, unsigned *minor, unsigned *release);
  int (*setErrorPrinter)(Hdf5Id stack, void *printer, void *data);
  int (*setPlugins)(unsigned mask);

  Hdf5Id (*createProperties)(Hdf5Id kind);
  int (*setInMemory)(Hdf5Id properties, size_t increment, bool isBacked);
  int (*setImage)(Hdf5Id properties, void *bytes, size_t count);
  int (*countExternal)(Hdf5Id properties);
  int (*layout)(Hdf5Id properties);
  int (*trackTimes)(Hdf5Id properties, bool isTracked);

  Hdf5Id (*openFile)(const char *name, unsigned flags, Hdf5Id properties);
  Hdf5Id (*createFile)(const char *name, unsigned flags, Hdf5Id creation, Hdf5Id access);
  int (*closeFile)(Hdf5Id file);
  int (*flush)(Hdf5Id file, int scope);
  ptrdiff_t (*image)(Hdf5Id file, void *bytes, size_t count);

  int (*linkExists)(Hdf5Id place, const char *name, Hdf5Id access);
  int (*linkInfo)(Hdf5Id place, const char *name, Hdf5Link *info, Hdf5Id access);
  ptrdiff_t (*linkName)(Hdf5Id place, const char *group, int index, int order, uint64_t at, char *name, size_t room,
                        Hdf5Id access);
  Hdf5Id (*openGroup)(Hdf5Id place, const char *name, Hdf5Id access);
  int (*groupInfo)(Hdf5Id group, Hdf5Group *info);

  int (*attributeExists)(Hdf5Id object, const char *name);
  Hdf5Id (*openAttribute)(Hdf5Id object, const char *name, Hdf5Id access);
  Hdf5Id (*createAttribute)(Hdf5Id object, const char *name, Hdf5Id type, Hdf5Id space, Hdf5Id creation, Hdf5Id access);
  int (*readAttribute)(Hdf5Id attribute, Hdf5Id type, void *bytes);
  int (*writeAttribute)(Hdf5Id attribute, Hdf5Id type, const void *bytes);
  int (*closeAttribute)(Hdf5Id attribute);
  Hdf5Id (*attributeType)(Hdf5Id attribute);
  Hdf5Id (*attributeSpace)(Hdf5Id attribute);

  Hdf5Id (*openDataset)(Hdf5Id place, const char *name, Hdf5Id access);
  Hdf5Id (*createDataset)(Hdf5Id place, const char *name, Hdf5Id type, Hdf5Id space, Hdf5Id links, Hdf5Id creation,
                          Hdf5Id access);
  Hdf5Id (*datasetSpace)(Hdf5Id dataset);
  Hdf5Id (*datasetType)(Hdf5Id dataset);
  Hdf5Id (*datasetProperties)(Hdf5Id dataset);
  int (*readDataset)(Hdf5Id dataset, Hdf5Id type, Hdf5Id space, Hdf5Id fileSpace, Hdf5Id properties, void *elements);
  int (*writeDataset)(Hdf5Id dataset, Hdf5Id type, Hdf5Id space, Hdf5Id fileSpace, Hdf5Id properties,
                      const void *elements);
  int (*closeDataset)(Hdf5Id dataset);

  Hdf5Id (*createSpace)(int kind);
  Hdf5Id (*createExtents)(int order, const uint64_t *extents, const uint64_t *most);
  int (*selectBlock)(Hdf5Id space, int operation, const uint64_t *begin, const uint64_t *stride, const uint64_t *count,
                     const uint64_t *block);
  int (*order)(Hdf5Id space);
  int64_t (*count)(Hdf5Id space);

  Hdf5Id (*copyType)(Hdf5Id type);
  int (*setSize)(Hdf5Id type, size_t bytes);
  int (*setCharacters)(Hdf5Id type, int set);
  int (*typeClass)(Hdf5Id type);
  size_t (*typeSize)(Hdf5Id type);
  int (*isSigned)(Hdf5Id type);
  Hdf5Id (*nativeType)(Hdf5Id type, int direction);
  int (*isVariableText)(Hdf5Id type);

  // What the library's macros for classes and types stand for, once it is open.
  Hdf5Id *fileAccess, *datasetCreation, *text;
  Hdf5Id *i8, *i16, *i32, *i64, *u8, *u16, *u32, *u64, *f32, *f64;
};

/// The library, loaded by the first call, silent and without plugins; null where there is none of a version that has
/// these functions.
const Hdf5Library *hdf5Library();

/// What to say where there is none.
constexpr const char *kNoHdf5 =
    "HDF5 files are read and written by libhdf5 1.10 or later, which cannot be loaded; install it (Debian: "
    "libhdf5-103-1)";

} // namespace spc::tensor
