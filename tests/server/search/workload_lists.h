// Workloads as text: what every layout template must be able to compute.
#ifndef TESTS_SERVER_SEARCH_WORKLOAD_LISTS_H_
#define TESTS_SERVER_SEARCH_WORKLOAD_LISTS_H_

namespace alt::search {

// The C2D, GRP, DIL and DEP configurations of the benchmark.
inline constexpr const char* kConvolutions[] = {
    "conv2d:n=1,ic=3,ih=224,iw=224,oc=64,kh=7,kw=7,stride=2,pad=3",
    "conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,stride=1,pad=1",
    "conv2d:n=1,ic=64,ih=56,iw=56,oc=128,kh=3,kw=3,stride=2,pad=1",
    "conv2d:n=1,ic=128,ih=28,iw=28,oc=128,kh=3,kw=3,stride=1,pad=1",
    "conv2d:n=1,ic=256,ih=14,iw=14,oc=256,kh=3,kw=3,stride=1,pad=1",
    "conv2d:n=1,ic=512,ih=7,iw=7,oc=512,kh=3,kw=3,stride=1,pad=1",
    "conv2d:n=1,ic=64,ih=56,iw=56,oc=256,kh=1,kw=1,stride=1,pad=0",
    "conv2d:n=1,ic=1024,ih=14,iw=14,oc=256,kh=1,kw=1,stride=1,pad=0",
    "conv2d:n=1,ic=512,ih=28,iw=28,oc=1024,kh=1,kw=1,stride=2,pad=0",
    "conv2d:n=1,ic=192,ih=17,iw=17,oc=192,kh=1,kw=7,stride=1,pad=0x3",
    "conv2d:n=1,ic=128,ih=56,iw=56,oc=128,kh=3,kw=3,stride=1,pad=1,groups=32",
    "conv2d:n=1,ic=256,ih=56,iw=56,oc=256,kh=3,kw=3,stride=2,pad=1,groups=32",
    "conv2d:n=1,ic=256,ih=28,iw=28,oc=256,kh=3,kw=3,stride=1,pad=1,groups=32",
    "conv2d:n=1,ic=512,ih=14,iw=14,oc=512,kh=3,kw=3,stride=1,pad=1,groups=32",
    "conv2d:n=1,ic=1024,ih=7,iw=7,oc=1024,kh=3,kw=3,stride=1,pad=1,groups=32",
    "conv2d:n=1,ic=96,ih=27,iw=27,oc=256,kh=5,kw=5,stride=1,pad=2,groups=2",
    "conv2d:n=1,ic=384,ih=13,iw=13,oc=384,kh=3,kw=3,stride=1,pad=1,groups=2",
    "conv2d:n=1,ic=240,ih=28,iw=28,oc=60,kh=1,kw=1,stride=1,pad=0,groups=3",
    "conv2d:n=1,ic=480,ih=14,iw=14,oc=120,kh=1,kw=1,stride=1,pad=0,groups=3",
    "conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,stride=1,pad=1,groups=4",
    "conv2d:n=1,ic=64,ih=56,iw=56,oc=64,kh=3,kw=3,stride=1,pad=2,dilation=2",
    "conv2d:n=1,ic=128,ih=28,iw=28,oc=128,kh=3,kw=3,stride=1,pad=2,dilation=2",
    "conv2d:n=1,ic=256,ih=28,iw=28,oc=256,kh=3,kw=3,stride=1,pad=2,dilation=2",
    "conv2d:n=1,ic=512,ih=28,iw=28,oc=512,kh=3,kw=3,stride=1,pad=4,dilation=4",
    "conv2d:n=1,ic=256,ih=33,iw=33,oc=256,kh=3,kw=3,stride=1,pad=2,dilation=2",
    "conv2d:n=1,ic=2048,ih=33,iw=33,oc=256,kh=3,kw=3,stride=1,pad=6,dilation=6",
    "conv2d:n=1,ic=2048,ih=33,iw=33,oc=256,kh=3,kw=3,stride=1,pad=12,dilation=12",
    "conv2d:n=1,ic=320,ih=33,iw=33,oc=256,kh=3,kw=3,stride=1,pad=12,dilation=12",
    "conv2d:n=1,ic=512,ih=48,iw=64,oc=256,kh=3,kw=3,stride=1,pad=2,dilation=2",
    "conv2d:n=1,ic=128,ih=48,iw=64,oc=64,kh=3,kw=3,stride=1,pad=2,dilation=2",
    "conv2d:n=1,ic=32,ih=112,iw=112,oc=32,kh=3,kw=3,stride=1,pad=1,groups=32",
    "conv2d:n=1,ic=96,ih=112,iw=112,oc=96,kh=3,kw=3,stride=2,pad=1,groups=96",
    "conv2d:n=1,ic=144,ih=56,iw=56,oc=144,kh=3,kw=3,stride=1,pad=1,groups=144",
    "conv2d:n=1,ic=144,ih=56,iw=56,oc=144,kh=3,kw=3,stride=2,pad=1,groups=144",
    "conv2d:n=1,ic=192,ih=28,iw=28,oc=192,kh=3,kw=3,stride=1,pad=1,groups=192",
    "conv2d:n=1,ic=192,ih=28,iw=28,oc=192,kh=3,kw=3,stride=2,pad=1,groups=192",
    "conv2d:n=1,ic=384,ih=14,iw=14,oc=384,kh=3,kw=3,stride=1,pad=1,groups=384",
    "conv2d:n=1,ic=576,ih=14,iw=14,oc=576,kh=3,kw=3,stride=1,pad=1,groups=576",
    "conv2d:n=1,ic=576,ih=14,iw=14,oc=576,kh=3,kw=3,stride=2,pad=1,groups=576",
    "conv2d:n=1,ic=960,ih=7,iw=7,oc=960,kh=3,kw=3,stride=1,pad=1,groups=960",
};

// The GMM configurations of the benchmark.
inline constexpr const char* kMatmuls[] = {
    "matmul:m=128,n=768,k=768",         "matmul:m=128,n=3072,k=768",
    "matmul:m=128,n=768,k=3072",        "matmul:m=128,n=128,k=64,batch=12",
    "matmul:m=128,n=64,k=128,batch=12", "matmul:m=128,n=512,k=128",
    "matmul:m=512,n=512,k=512",         "matmul:m=1024,n=1024,k=1024",
    "matmul:m=1,n=1000,k=2048",         "matmul:m=127,n=513,k=255",
};

// Shapes that divide by nothing: groups of 17 channels, extents of one, asymmetric pads and
// strides, windows as large as the input, transposed operands.
inline constexpr const char* kOddWorkloads[] = {
    "conv2d:n=1,ic=51,ih=9,iw=11,oc=51,kh=3,kw=3,stride=1,pad=1,groups=3",
    "conv2d:n=1,ic=34,ih=9,iw=11,oc=17,kh=3,kw=3,stride=1,pad=1,groups=17",
    "matmul:m=1,n=1,k=1",
    "conv2d:n=1,ic=16,ih=23,iw=19,oc=32,kh=3,kw=3,stride=3x1,pad=0x1x2x3",
    "conv2d:n=3,ic=16,ih=14,iw=14,oc=16,kh=3,kw=3,stride=1,pad=1",
    "conv2d:n=3,ic=17,ih=14,iw=14,oc=17,kh=3,kw=3,stride=1,pad=1,groups=17",
    "conv2d:n=1,ic=1,ih=1,iw=1,oc=1,kh=1,kw=1",
    "conv2d:n=1,ic=3,ih=7,iw=5,oc=1,kh=7,kw=5",
    "conv2d:n=2,ic=8,ih=15,iw=15,oc=24,kh=2,kw=5,stride=2x3,pad=2x0x1x4,dilation=3x2,groups=4",
    "conv2d:n=1,ic=8,ih=9,iw=9,oc=24,kh=3,kw=3,pad=1,groups=8",
    "matmul:m=3,n=5,k=7,batch=3",
    "matmul:m=31,n=33,k=17,trans_a=1",
    "matmul:m=31,n=33,k=17,trans_b=1,const_b=0,batch=2",
    "matmul:m=1,n=17,k=300",
    "matmul:m=300,n=1,k=17",
};

}  // namespace alt::search

#endif  // TESTS_SERVER_SEARCH_WORKLOAD_LISTS_H_
