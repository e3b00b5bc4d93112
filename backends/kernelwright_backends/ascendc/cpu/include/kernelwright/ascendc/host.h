// The host side of an operator: its definition and its tiling function, run to learn what the kernel is given.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cube_tiling.h"
#include "host_abi.h"

namespace ge {
using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xffffffff;
constexpr graphStatus GRAPH_PARAM_INVALID = 50331649;
enum DataType {
  DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT32 = 8, DT_INT64 = 9,
  DT_UINT64 = 10, DT_DOUBLE = 11, DT_BOOL = 12, DT_STRING = 13, DT_COMPLEX64 = 16, DT_BF16 = 27, DT_UNDEFINED = 28, DT_INT4 = 29
};
enum Format { FORMAT_NCHW = 0, FORMAT_NHWC = 1, FORMAT_ND = 2, FORMAT_NC1HWC0 = 3, FORMAT_FRACTAL_Z = 4, FORMAT_FRACTAL_NZ = 29,
              FORMAT_NCDHW = 30, FORMAT_NDC1HWC0 = 32, FORMAT_NCL = 47 };
inline int GetSizeByDataType(DataType type) {
  switch (type) {
    case DT_INT8: case DT_UINT8: case DT_BOOL: return 1;
    case DT_FLOAT16: case DT_INT16: case DT_UINT16: case DT_BF16: return 2;
    case DT_INT64: case DT_UINT64: case DT_DOUBLE: return 8;
    default: return 4;
  }
}
class AscendString {
 public:
  AscendString(const char* text = "") : text_(text) {}
  const char* GetString() const { return text_.c_str(); }

 private:
  std::string text_;
};
}  // namespace ge

namespace gert {

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> extents) : extents_(extents) {}
  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (auto extent : extents_) size *= extent;
    return size;
  }
  size_t GetDimNum() const { return extents_.size(); }
  int64_t GetDim(size_t i) const { return i < extents_.size() ? extents_[i] : 0; }
  int64_t operator[](size_t i) const { return GetDim(i); }
  int64_t& operator[](size_t i) { return extents_[i]; }
  void SetDim(size_t i, int64_t extent) {
    if (i < extents_.size()) extents_[i] = extent;
  }
  void SetDimNum(size_t count) { extents_.resize(count); }
  Shape& AppendDim(int64_t extent) { return extents_.push_back(extent), *this; }
  bool IsScalar() const { return extents_.empty(); }
  bool operator==(const Shape& other) const { return extents_ == other.extents_; }
  bool operator!=(const Shape& other) const { return extents_ != other.extents_; }

 private:
  std::vector<int64_t> extents_;
};
class StorageShape {
 public:
  const Shape& GetOriginShape() const { return shape; }
  const Shape& GetStorageShape() const { return shape; }
  Shape shape;
};
class CompileTimeTensorDesc {
 public:
  ge::DataType GetDataType() const { return type; }
  ge::Format GetOriginFormat() const { return ge::FORMAT_ND; }
  ge::Format GetStorageFormat() const { return ge::FORMAT_ND; }
  ge::Format GetFormat() const { return ge::FORMAT_ND; }
  ge::DataType type = ge::DT_FLOAT;
};
class Tensor : public StorageShape, public CompileTimeTensorDesc {
 public:
  int64_t GetShapeSize() const { return shape.GetShapeSize(); }
  template <class T>
  const T* GetData() const { return static_cast<const T*>(data); }
  const Shape& GetShape() const { return shape; }
  const void* data = nullptr;
};
template <class T>
class TypedContinuousVector {
 public:
  size_t GetSize() const { return values.size(); }
  const T* GetData() const { return values.data(); }
  std::vector<T> values;
};
struct Attribute {
  std::string name, text;
  double real = 0;
  int64_t integer = 0;
  float single = 0;
  bool truth = false;
  std::vector<int64_t> list;
  TypedContinuousVector<int64_t> whole;
};
class RuntimeAttrs {
 public:
  template <class T>
  const T* GetAttrPointer(size_t i) const {
    if (i >= attributes.size()) return nullptr;
    auto& it = attributes[i];
    if constexpr (std::is_same_v<T, float>) return &it.single;
    else if constexpr (std::is_same_v<T, double>) return &it.real;
    else if constexpr (std::is_same_v<T, bool>) return &it.truth;
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 1) return reinterpret_cast<const T*>(it.text.c_str());
    else if constexpr (std::is_integral_v<T>) return reinterpret_cast<const T*>(&it.integer);
    else return reinterpret_cast<const T*>(&it.whole);
  }
  const int64_t* GetInt(size_t i) const { return GetAttrPointer<int64_t>(i); }
  const float* GetFloat(size_t i) const { return GetAttrPointer<float>(i); }
  const bool* GetBool(size_t i) const { return GetAttrPointer<bool>(i); }
  const char* GetStr(size_t i) const { return i < attributes.size() ? attributes[i].text.c_str() : nullptr; }
  const TypedContinuousVector<int64_t>* GetListInt(size_t i) const { return i < attributes.size() ? &attributes[i].whole : nullptr; }
  size_t GetAttrNum() const { return attributes.size(); }
  std::vector<Attribute> attributes;
};
class TilingData {
 public:
  void* GetData() { return bytes; }
  const void* GetData() const { return bytes; }
  size_t GetCapacity() const { return sizeof bytes; }
  size_t GetDataSize() const { return size; }
  void SetDataSize(size_t value) { size = value; }
  template <class T>
  int Append(const T& value) {
    memcpy(bytes + size, &value, sizeof value);
    size += sizeof value;
    return 0;
  }
  alignas(64) uint8_t bytes[32768] = {0};
  size_t size = 0;
};

class TilingContext {
 public:
  const StorageShape* GetInputShape(size_t i) const { return i < inputs.size() ? &inputs[i] : nullptr; }
  const Tensor* GetInputTensor(size_t i) const { return i < inputs.size() ? &inputs[i] : nullptr; }
  const CompileTimeTensorDesc* GetInputDesc(size_t i) const { return i < inputs.size() ? &inputs[i] : nullptr; }
  const StorageShape* GetOptionalInputShape(size_t i) const { return GetInputShape(i); }
  const Tensor* GetOptionalInputTensor(size_t i) const { return GetInputTensor(i); }
  const CompileTimeTensorDesc* GetOptionalInputDesc(size_t i) const { return GetInputDesc(i); }
  const StorageShape* GetDynamicInputShape(size_t i, size_t) const { return GetInputShape(i); }
  const StorageShape* GetOutputShape(size_t i) const { return i < outputs.size() ? &outputs[i] : nullptr; }
  const CompileTimeTensorDesc* GetOutputDesc(size_t i) const { return i < outputs.size() ? &outputs[i] : nullptr; }
  Shape* GetOutputShape(size_t i) { return i < outputs.size() ? &outputs[i].shape : nullptr; }
  ge::DataType GetInputDataType(size_t i) const { return i < inputs.size() ? inputs[i].type : ge::DT_UNDEFINED; }
  void SetOutputDataType(size_t, ge::DataType) {}
  const RuntimeAttrs* GetAttrs() const { return &attributes; }
  size_t GetComputeNodeInputNum() const { return inputs.size(); }
  size_t GetComputeNodeOutputNum() const { return outputs.size(); }
  ge::graphStatus SetBlockDim(uint32_t value) { return blocks = value, 0; }
  uint32_t GetBlockDim() const { return blocks; }
  ge::graphStatus SetTilingKey(uint64_t value) { return key = value, 0; }
  uint64_t GetTilingKey() const { return key; }
  ge::graphStatus SetNeedAtomic(bool) { return 0; }
  ge::graphStatus SetScheduleMode(uint32_t) { return 0; }
  TilingData* GetRawTilingData() { return &data; }
  template <class T>
  T* GetTilingData() {
    data.size = sizeof(T);
    return reinterpret_cast<T*>(data.bytes);
  }
  size_t* GetWorkspaceSizes(size_t) { return workspaces; }
  size_t GetWorkspaceNum() const { return 1; }
  void* GetPlatformInfo() const { return const_cast<TilingContext*>(this); }
  const char* GetNodeName() const { return "operator"; }
  const char* GetNodeType() const { return "operator"; }
  int32_t GetDeterministic() const { return 0; }
  template <class T>
  const T* GetCompileInfo() const {
    static T none{};
    return &none;
  }

  std::vector<Tensor> inputs, outputs;
  RuntimeAttrs attributes;
  TilingData data;
  uint32_t blocks = 1;
  uint64_t key = 0;
  size_t workspaces[16] = {0};
};
// What infers shapes and types is compiled, and not asked.
class InferShapeContext {
 public:
  const Shape* GetInputShape(size_t) const { return &shape_; }
  Shape* GetOutputShape(size_t) { return &shape_; }
  const RuntimeAttrs* GetAttrs() const { return &attributes_; }
  const Tensor* GetInputTensor(size_t) const { return &tensor_; }
  const Shape* GetOptionalInputShape(size_t) const { return &shape_; }

 private:
  Shape shape_;
  RuntimeAttrs attributes_;
  Tensor tensor_;
};
class InferDataTypeContext {
 public:
  ge::DataType GetInputDataType(size_t) const { return ge::DT_FLOAT; }
  ge::DataType GetOptionalInputDataType(size_t) const { return ge::DT_FLOAT; }
  ge::graphStatus SetOutputDataType(size_t, ge::DataType) { return 0; }
  const RuntimeAttrs* GetAttrs() const { return nullptr; }
};
class TilingParseContext : public TilingContext {};

}  // namespace gert

namespace platform_ascendc {
enum class CoreMemType { L0_A, L0_B, L0_C, L1, L2, UB, HBM, RESERVED };
enum class SocVersion { ASCEND910, ASCEND910B, ASCEND310P, ASCEND310B, ASCEND910_95, RESERVED_VERSION };
class PlatformAscendC {
 public:
  explicit PlatformAscendC(void* = nullptr) {}
  uint32_t GetCoreNum() const { return 48; }
  uint32_t GetCoreNumAic() const { return 24; }
  uint32_t GetCoreNumAiv() const { return 48; }
  uint32_t GetCoreNumVector() const { return 0; }
  SocVersion GetSocVersion() const { return SocVersion::ASCEND910B; }
  void GetCoreMemSize(CoreMemType what, uint64_t& size) const {
    switch (what) {
      case CoreMemType::UB: size = 196608 - 256; break;
      case CoreMemType::L1: size = 524288; break;
      case CoreMemType::L0_A: case CoreMemType::L0_B: size = 65536; break;
      case CoreMemType::L0_C: size = 131072; break;
      case CoreMemType::L2: size = 201326592; break;
      default: size = 68719476736;
    }
  }
  void GetCoreMemBw(CoreMemType what, uint64_t& rate) const { rate = what == CoreMemType::L2 ? 110 : 32; }
  uint32_t GetLibApiWorkSpaceSize() const { return 16u << 20; }
  uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic, uint32_t aiv) const { return aic && aiv ? (slices + aiv / aic - 1) / (aiv / aic) : slices; }
};
class PlatformAscendCManager {
 public:
  static PlatformAscendC* GetInstance(const char* = nullptr) {
    static PlatformAscendC made;
    return &made;
  }
};
}  // namespace platform_ascendc
namespace fe {
using PlatFormInfos = void;
}

// ---- tiling structs

#define BEGIN_TILING_DATA_DEF(name) \
  class alignas(8) name {           \
   public:
#define TILING_DATA_FIELD_DEF(type, name)       \
  type name{};                                  \
  void set_##name(type value) { name = value; } \
  type get_##name() const { return name; }
#define TILING_DATA_FIELD_DEF_ARR(type, length, name)                           \
  type name[length]{};                                                          \
  void set_##name(const type* values) { memcpy(name, values, sizeof name); }    \
  type* get_##name() { return name; }
#define TILING_DATA_FIELD_DEF_STRUCT(type, name) type name{};
#define END_TILING_DATA_DEF                                                                                    \
  void SaveToBuffer(void* to, size_t room) const { memcpy(to, (const void*)this, room < sizeof *this ? room : sizeof *this); } \
  size_t GetDataSize() const { return sizeof *this; }                                                          \
  }
#define REGISTER_TILING_DATA_CLASS(operator_, name)

namespace optiling {
BEGIN_TILING_DATA_DEF(TCubeTiling)
#define KW_FIELD(name) TILING_DATA_FIELD_DEF(int32_t, name)
KW_CUBE_TILING(KW_FIELD)
#undef KW_FIELD
END_TILING_DATA_DEF;
#define KW_TILING_OF(name, ...)                 \
  BEGIN_TILING_DATA_DEF(name)                   \
  __VA_ARGS__                                   \
  END_TILING_DATA_DEF;
#define KW_F(name) TILING_DATA_FIELD_DEF(uint32_t, name)
KW_TILING_OF(SoftMaxTiling, KW_F(srcM) KW_F(srcK) KW_F(srcSize) KW_F(outMaxM) KW_F(outMaxK) KW_F(outMaxSize) KW_F(splitM) KW_F(splitK)
             KW_F(splitSize) KW_F(reduceM) KW_F(reduceK) KW_F(reduceSize) KW_F(rangeM) KW_F(tailM) KW_F(tailSplitSize) KW_F(tailReduceSize))
KW_TILING_OF(LayerNormTiling, KW_F(bLength) KW_F(sLength) KW_F(hLength) KW_F(originalHLength) KW_F(inputXSize) KW_F(meanVarSize) KW_F(numberOfTmpBuf))
#undef KW_F
#undef KW_TILING_OF
}  // namespace optiling
using optiling::TCubeTiling;

namespace AscendC {
namespace tiling {
using optiling::LayerNormTiling;
using optiling::SoftMaxTiling;
using optiling::TCubeTiling;
}  // namespace tiling
inline void SoftMaxTilingFunc(const gert::Shape& shape, uint32_t, uint32_t, optiling::SoftMaxTiling& made) {
  auto dims = shape.GetDimNum();
  made.set_srcK(dims ? uint32_t(shape.GetDim(dims - 1)) : 1);
  made.set_srcM(uint32_t(shape.GetShapeSize()) / (made.srcK ? made.srcK : 1));
  made.set_srcSize(made.srcM * made.srcK);
  made.set_splitM(made.srcM);
  made.set_reduceM(made.srcM);
}
}  // namespace AscendC

// ---- Matmul's tiling

namespace matmul_tiling {
enum class TPosition { GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM, SPM, SHM = 14, TSCM };
enum class CubeFormat { ND, NZ, ZN, ZZ, NN, VECTOR };
enum class DataType {
  DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_BFLOAT16 = 27, DT_BF16 = 27, DT_INT4 = 29
};
enum class MatrixTraverse { NOSET, FIRSTM, FIRSTN };
class MatmulApiTiling {
 public:
  MatmulApiTiling() = default;
  explicit MatmulApiTiling(const platform_ascendc::PlatformAscendC&) {}
  int32_t SetAType(TPosition, CubeFormat, DataType, bool = false) { return 0; }
  int32_t SetBType(TPosition, CubeFormat, DataType, bool = false) { return 0; }
  int32_t SetCType(TPosition, CubeFormat, DataType) { return 0; }
  int32_t SetBiasType(TPosition, CubeFormat, DataType) { return 0; }
  int32_t SetDim(int32_t cores) { return cores_ = cores, 0; }
  int32_t SetShape(int32_t m, int32_t n, int32_t k) { return m_ = m, n_ = n, k_ = k, 0; }
  int32_t SetOrgShape(int32_t m, int32_t n, int32_t k) { return org_m_ = m, org_n_ = n, org_k_ = kb_ = k, 0; }
  int32_t SetOrgShape(int32_t m, int32_t n, int32_t ka, int32_t kb) { return org_m_ = m, org_n_ = n, org_k_ = ka, kb_ = kb, 0; }
  int32_t SetSingleShape(int32_t m, int32_t n, int32_t k) { return single_m_ = m, single_n_ = n, single_k_ = k, 0; }
  int32_t SetFixSplit(int32_t m = -1, int32_t n = -1, int32_t k = -1) { return base_m_ = m, base_n_ = n, base_k_ = k, 0; }
  int32_t SetSingleRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
  int32_t SetBufferSpace(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
  int32_t SetBias(bool bias = false) { return bias_ = bias, 0; }
  int32_t EnableBias(bool bias = false) { return bias_ = bias, 0; }
  int32_t EnableMultiCoreSplitK(bool) { return 0; }
  int32_t SetTraverse(MatrixTraverse) { return 0; }
  int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
  int32_t SetMatmulConfigParams(int32_t, bool = false) { return 0; }
  int32_t GetBaseM() const { return made_m_; }
  int32_t GetBaseN() const { return made_n_; }
  int32_t GetBaseK() const { return made_k_; }
  int32_t GetCoreNum(int32_t& cores, int32_t& across_m, int32_t& across_n) {
    split();
    return cores = across_m_ * across_n_, across_m = across_m_, across_n = across_n_, 0;
  }
  int64_t GetTiling(optiling::TCubeTiling& t) {
    if (m_ <= 0 || n_ <= 0 || k_ <= 0) return -1;
    split();
    t.usedCoreNum = across_m_ * across_n_;
    t.M = org_m_ ? org_m_ : m_, t.N = org_n_ ? org_n_ : n_, t.Ka = org_k_ ? org_k_ : k_, t.Kb = kb_ ? kb_ : t.Ka;
    t.singleCoreM = share_m_, t.singleCoreN = share_n_, t.singleCoreK = single_k_ > 0 ? single_k_ : k_;
    t.baseM = made_m_, t.baseN = made_n_, t.baseK = made_k_;
    t.depthA1 = t.depthB1 = t.stepM = t.stepN = t.stepKa = t.stepKb = 1;
    t.isBias = bias_;
    t.dbL0A = t.dbL0B = 2, t.dbL0C = 1;
    return 0;
  }

 protected:
  // Rows first, as even as it goes; never more cores than tiles.
  void split() {
    auto up = [](int32_t a, int32_t b) { return (a + b - 1) / b; };
    made_m_ = base_m_ > 0 ? base_m_ : std::min(128, up(m_, 16) * 16);
    made_n_ = base_n_ > 0 ? base_n_ : std::min(128, up(n_, 16) * 16);
    made_k_ = base_k_ > 0 ? base_k_ : std::min(64, up(k_, 16) * 16);
    if (single_m_ > 0 || single_n_ > 0) {
      share_m_ = single_m_ > 0 ? single_m_ : m_, share_n_ = single_n_ > 0 ? single_n_ : n_;
    } else {
      int32_t rows = up(m_, made_m_), columns = up(n_, made_n_);
      across_m_ = std::min(cores_, rows);
      while (across_m_ > 1 && cores_ % across_m_) --across_m_;
      across_n_ = std::min(cores_ / across_m_, columns);
      share_m_ = std::min(m_, up(rows, across_m_) * made_m_), share_n_ = std::min(n_, up(columns, across_n_) * made_n_);
    }
    across_m_ = up(m_, share_m_), across_n_ = up(n_, share_n_);
  }
  int32_t cores_ = 1, m_ = 0, n_ = 0, k_ = 0, org_m_ = 0, org_n_ = 0, org_k_ = 0, kb_ = 0, single_m_ = 0, single_n_ = 0, single_k_ = 0,
          base_m_ = -1, base_n_ = -1, base_k_ = -1, made_m_ = 0, made_n_ = 0, made_k_ = 0, share_m_ = 0, share_n_ = 0, across_m_ = 1,
          across_n_ = 1;
  bool bias_ = false;
};
using MultiCoreMatmulTiling = MatmulApiTiling;
using BatchMatmulTiling = MatmulApiTiling;
}  // namespace matmul_tiling

// ---- the operator's definition

namespace ops {
enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
constexpr Option REQUIRED_ = REQUIRED;

class OpParamDef {
 public:
  OpParamDef& ParamType(Option) { return *this; }
  OpParamDef& DataType(std::vector<ge::DataType>) { return *this; }
  OpParamDef& DataTypeList(std::vector<ge::DataType>) { return *this; }
  OpParamDef& Format(std::vector<ge::Format>) { return *this; }
  OpParamDef& FormatList(std::vector<ge::Format>) { return *this; }
  OpParamDef& UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
  OpParamDef& ValueDepend(Option) { return depends = true, *this; }
  OpParamDef& AutoContiguous() { return *this; }
  OpParamDef& IgnoreContiguous() { return *this; }
  OpParamDef& Scalar() { return *this; }
  OpParamDef& ScalarList() { return *this; }
  template <class T>
  OpParamDef& InitValue(T) { return *this; }
  template <class... A>
  OpParamDef& Follow(A&&...) { return *this; }
  bool depends = false;  // the tiling function is given its values
};
class OpAttrDef {
 public:
  explicit OpAttrDef(const char* name = "") { value.name = name; }
  OpAttrDef& AttrType(Option) { return *this; }
  OpAttrDef& Float(float v = 0) { return set(v); }
  OpAttrDef& Int(int64_t v = 0) { return set(double(v)); }
  OpAttrDef& Bool(bool v = false) { return set(v); }
  OpAttrDef& String(const char* v = "") { return value.text = v, *this; }
  OpAttrDef& ListInt(std::vector<int64_t> v = {}) { return value.whole.values = v, *this; }
  OpAttrDef& ListFloat(std::vector<float> = {}) { return *this; }
  OpAttrDef& ListBool(std::vector<bool> = {}) { return *this; }
  OpAttrDef& set(double v) {
    value.real = v, value.single = float(v), value.integer = int64_t(v), value.truth = v != 0;
    return *this;
  }
  gert::Attribute value;
};
class OpAICoreConfig {
 public:
  OpAICoreConfig& DynamicCompileStaticFlag(bool) { return *this; }
  OpAICoreConfig& DynamicFormatFlag(bool) { return *this; }
  OpAICoreConfig& DynamicRankSupportFlag(bool) { return *this; }
  OpAICoreConfig& DynamicShapeSupportFlag(bool) { return *this; }
  OpAICoreConfig& NeedCheckSupportFlag(bool) { return *this; }
  OpAICoreConfig& PrecisionReduceFlag(bool) { return *this; }
  OpAICoreConfig& ExtendCfgInfo(const char*, const char*) { return *this; }
  OpParamDef& Input(const char*) { return port_; }
  OpParamDef& Output(const char*) { return port_; }

 private:
  OpParamDef port_;
};
class OpAICoreDef {
 public:
  template <class F>
  OpAICoreDef& SetTiling(F function) { return tiling = function, *this; }
  template <class F>
  OpAICoreDef& SetTilingParse(F) { return *this; }
  template <class F>
  OpAICoreDef& SetCheckSupport(F) { return *this; }
  template <class F>
  OpAICoreDef& SetOpSelectFormat(F) { return *this; }
  OpAICoreDef& AddConfig(const char*) { return *this; }
  OpAICoreDef& AddConfig(const char*, OpAICoreConfig&) { return *this; }
  ge::graphStatus (*tiling)(gert::TilingContext*) = nullptr;
};
class OpDef {
 public:
  explicit OpDef(const char*) {}
  OpParamDef& Input(const char*) {
    ++inputs;
    return ports.push_back(std::make_unique<OpParamDef>()), *ports.back();
  }
  OpParamDef& Output(const char*) { return ++outputs, port_; }
  OpAttrDef& Attr(const char* name) { return attributes.push_back(std::make_unique<OpAttrDef>(name)), *attributes.back(); }
  template <class F>
  OpDef& SetInferShape(F) { return *this; }
  template <class F>
  OpDef& SetInferDataType(F) { return *this; }
  template <class F>
  OpDef& SetInferShapeRange(F) { return *this; }
  OpAICoreDef& AICore() { return core_; }
  OpDef& MC2() { return *this; }
  OpDef& Comment(...) { return *this; }

  std::vector<std::unique_ptr<OpAttrDef>> attributes;
  std::vector<std::unique_ptr<OpParamDef>> ports;
  size_t inputs = 0, outputs = 0;

 private:
  OpParamDef port_;
  OpAICoreDef core_;
};
}  // namespace ops
using namespace ops;

#define OP_ADD(name)                                                                     \
  extern "C" __attribute__((visibility("hidden"))) void* kw_make_operator() {            \
    static name made(#name);                                                             \
    return static_cast<::ops::OpDef*>(&made);                                            \
  }                                                                                      \
  static_assert(true)
#define IMPL_OP_INFERSHAPE(name) [[maybe_unused]] static ::kw_host::Nothing kw_infer_##name
#define OP_LOGD(...) (void)0
#define OP_LOGI(...) (void)0
#define OP_LOGW(...) (void)0
#define OP_LOGE(...) (void)0
#define OPS_LOG_E(...) (void)0
#define OPS_LOG_I(...) (void)0
#define OPS_LOG_D(...) (void)0
