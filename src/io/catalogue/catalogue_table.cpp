// The one table of datasets. A new dataset is one entry here; the command line, the downloader and
// docs/datasets.md follow it.
#include <array>

#include "io/catalogue.h"

namespace creg {
namespace {

using std::string_view;

constexpr string_view planetoid_url = "https://github.com/kimiyoung/planetoid/raw/master/data/";
constexpr string_view gnn_benchmark_url =
    "https://github.com/shchur/gnn-benchmark/raw/master/data/npz/";
constexpr string_view ogb_url = "http://snap.stanford.edu/ogb/data/nodeproppred/";

constexpr string_view linqs_licence =
    "repository MIT; data from LINQS without an explicit licence, freely redistributed";
constexpr string_view linqs_npz_licence = "repository MIT; data from LINQS";
constexpr string_view amazon_licence =
    "repository MIT; derived from the Amazon co-purchase data of McAuley et al. (research use)";
constexpr string_view coauthor_licence =
    "repository MIT; derived from the Microsoft Academic Graph (ODC-BY)";

// What every undirected graph gets.
constexpr std::array<string_view, 3> undirected{"symmetrise", "remove-duplicates",
                                                "remove-self-loops"};
// Directed graphs keep their directions.
constexpr std::array<string_view, 2> directed{"remove-duplicates", "remove-self-loops"};
// The usual loaders of this npz family set every positive feature to 1, so published figures on
// Amazon and Coauthor graphs are on binary features.
constexpr std::array<string_view, 4> binary_undirected{"binarise", "symmetrise",
                                                       "remove-duplicates", "remove-self-loops"};
// The published matrix holds raw TF-IDF; the form in use has each column divided by its maximum.
constexpr std::array<string_view, 4> scaled_undirected{"column-max", "symmetrise",
                                                       "remove-duplicates", "remove-self-loops"};

// Checksums are of files that were checked against the repositories they come from. A file that
// nobody has checked has none.
constexpr std::array cora_files{
    CatalogueFile{.name = "ind.cora.allx",
                  .size = 257'305,
                  .sha256 = "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"},
    CatalogueFile{.name = "ind.cora.ally",
                  .size = 47'959,
                  .sha256 = "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"},
    CatalogueFile{.name = "ind.cora.graph",
                  .size = 59'847,
                  .sha256 = "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"},
    CatalogueFile{.name = "ind.cora.test.index",
                  .size = 5'000,
                  .sha256 = "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"},
    CatalogueFile{.name = "ind.cora.tx",
                  .size = 148'025,
                  .sha256 = "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"},
    CatalogueFile{.name = "ind.cora.ty",
                  .size = 28'135,
                  .sha256 = "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"},
    CatalogueFile{.name = "ind.cora.x",
                  .size = 22'119,
                  .sha256 = "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab"},
    CatalogueFile{.name = "ind.cora.y",
                  .size = 4'054,
                  .sha256 = "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1"},
};
constexpr std::array citeseer_files{
    CatalogueFile{.name = "ind.citeseer.allx",
                  .size = 595'021,
                  .sha256 = "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668"},
    CatalogueFile{.name = "ind.citeseer.ally",
                  .size = 55'623,
                  .sha256 = "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95"},
    CatalogueFile{.name = "ind.citeseer.graph",
                  .size = 61'987,
                  .sha256 = "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7"},
    CatalogueFile{.name = "ind.citeseer.test.index",
                  .size = 5'000,
                  .sha256 = "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"},
    CatalogueFile{.name = "ind.citeseer.tx",
                  .size = 260'321,
                  .sha256 = "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"},
    CatalogueFile{.name = "ind.citeseer.ty",
                  .size = 24'135,
                  .sha256 = "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"},
    CatalogueFile{.name = "ind.citeseer.x",
                  .size = 31'087,
                  .sha256 = "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6"},
    CatalogueFile{.name = "ind.citeseer.y",
                  .size = 3'014,
                  .sha256 = "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924"},
};
constexpr std::array pubmed_files{
    CatalogueFile{.name = "ind.pubmed.allx",
                  .git_blob = "3b86bccf08111c37c632a9dd8ab63db25ea76361"},
    CatalogueFile{.name = "ind.pubmed.ally",
                  .size = 224'739,
                  .sha256 = "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e"},
    CatalogueFile{.name = "ind.pubmed.graph",
                  .size = 471'808,
                  .sha256 = "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9"},
    CatalogueFile{.name = "ind.pubmed.test.index",
                  .size = 6'000,
                  .sha256 = "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5"},
    CatalogueFile{.name = "ind.pubmed.tx",
                  .size = 405'505,
                  .sha256 = "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d"},
    CatalogueFile{.name = "ind.pubmed.ty",
                  .size = 12'135,
                  .sha256 = "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd"},
    CatalogueFile{.name = "ind.pubmed.x",
                  .size = 23'172,
                  .sha256 = "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33"},
    CatalogueFile{.name = "ind.pubmed.y",
                  .size = 854,
                  .sha256 = "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3"},
};
constexpr std::array wiki_files{
    CatalogueFile{.name = "graph.txt",
                  .size = 162'007,
                  .sha256 = "3cdeb169eebca7bc59393da5b3aa030a3ccb7447379d10897df39fed7dde603a",
                  .git_blob = "ae2b46daca380be86f68806ec8615d1f022ba93a"},
    CatalogueFile{.name = "group.txt",
                  .size = 16'636,
                  .sha256 = "783708cb88bc7b785355a8cdefe9cdd94ad00171dda7d11328849b1a56d99f9e",
                  .git_blob = "c485a394b36fb1390cc0110a76ce385493dca38b"},
    CatalogueFile{.name = "tfidf.txt",
                  .size = 26'362'801,
                  .sha256 = "a475c9fec88f147d0a9a3ed45d2adfccbb0fdd8227f328b1a7d9c1238843ee43",
                  .git_blob = "f89533a68c75aa191159a35cd973672315a94a02"},
};
constexpr std::array amazon_computers_files{
    CatalogueFile{.name = "amazon_electronics_computers.npz",
                  .size = 31'921'488,
                  .sha256 = "736ba1d9fd85eac2da83a5ad25c463f04b0031a6ca01563f90a7099d9e8ffb2c",
                  .git_blob = "8120e4148a330b3fafe37c4476823302d9d834b9"},
};
constexpr std::array amazon_photo_files{
    CatalogueFile{.name = "amazon_electronics_photo.npz",
                  .size = 17'113'960,
                  .sha256 = "bdb1feb8e6ff42ee44024b04479145029c563fd42fc31bff80af20887ba0439a",
                  .git_blob = "97323743cb56aca9dd611f5b4b46862c1c9c6bd9"},
};
constexpr std::array cora_ml_files{
    CatalogueFile{.name = "cora_ml.npz",
                  .size = 1'620'832,
                  .sha256 = "ffbe4e64857dc6bf38f1877e4312559a064df84b59d0f32f938717de5d5af0fd"},
};
constexpr std::array citeseer_npz_files{
    CatalogueFile{.name = "citeseer.npz",
                  .size = 1'348'784,
                  .sha256 = "280278b21b434c047922e8389518861416fb3ad39389c27865ff0e6bbb0aaab7",
                  .git_blob = "0e71905a80ab405875cc6c7a7a15190aa35fec79"},
};
constexpr std::array cora_npz_files{
    CatalogueFile{.name = "cora.npz",
                  .size = 540'580,
                  .sha256 = "068e22d90c3849b4057dfb05851741428992af058efcd4e7ebb4186f3d581de2"},
};
constexpr string_view ogb_unpacked = "raw/edge.csv.gz";
constexpr std::array arxiv_files{CatalogueFile{.name = "arxiv.zip", .unpacked_sign = ogb_unpacked}};
constexpr std::array products_files{
    CatalogueFile{.name = "products.zip", .unpacked_sign = ogb_unpacked}};
constexpr std::array<string_view, 2> reddit_members{"reddit_data.npz", "reddit_graph.npz"};
constexpr std::array reddit_files{CatalogueFile{.name = "reddit.zip", .members = reddit_members}};
constexpr std::array wikics_files{CatalogueFile{.name = "data.json"}};
constexpr std::array cs_files{CatalogueFile{.name = "ms_academic_cs.npz"}};
constexpr std::array physics_files{CatalogueFile{.name = "ms_academic_phy.npz"}};

constexpr std::array table{
    CatalogueEntry{.name = "cora",
                   .title = "Cora (Planetoid)",
                   .folder = "cora",
                   .format = "planetoid",
                   .base_url = planetoid_url,
                   .files = cora_files,
                   .licence = linqs_licence,
                   .transforms = undirected,
                   .protocol = "public",
                   .figures = {.nodes = 2'708,
                               .edges = 5'278,
                               .features = 1'433,
                               .classes = 7,
                               .counted = true,
                               .feature_entries = 49'216,
                               .ones = true}},
    CatalogueEntry{.name = "citeseer",
                   .title = "Citeseer (Planetoid)",
                   .folder = "citeseer",
                   .format = "planetoid",
                   .base_url = planetoid_url,
                   .files = citeseer_files,
                   .licence = linqs_licence,
                   .transforms = undirected,
                   .protocol = "public",
                   .figures = {.nodes = 3'327,
                               .edges = 4'552,
                               .features = 3'703,
                               .classes = 6,
                               .counted = true,
                               .feature_entries = 105'165,
                               .ones = true}},
    CatalogueEntry{
        .name = "pubmed",
        .title = "Pubmed (Planetoid)",
        .folder = "pubmed",
        .format = "planetoid",
        .base_url = planetoid_url,
        .files = pubmed_files,
        .licence = linqs_licence,
        .transforms = undirected,
        .protocol = "public",
        .figures =
            {.nodes = 19'717, .edges = 44'324, .features = 500, .classes = 3, .counted = true}},
    CatalogueEntry{.name = "wiki",
                   .title = "Wiki (TADW)",
                   .folder = "wiki",
                   .format = "wiki",
                   .base_url = "https://github.com/thunlp/TADW/raw/master/wiki/",
                   .files = wiki_files,
                   .licence = "repository MIT; text from Wikipedia (CC BY-SA)",
                   .transforms = scaled_undirected,
                   .protocol = "per-class-20-30",
                   .figures = {.nodes = 2'405,
                               .edges = 11'596,
                               .features = 4'973,
                               .classes = 17,
                               .counted = true,
                               .feature_entries = 1'556'595}},
    CatalogueEntry{.name = "computers",
                   .title = "Amazon Computers",
                   .folder = "amazon_computers",
                   .format = "gnn-benchmark",
                   .base_url = gnn_benchmark_url,
                   .files = amazon_computers_files,
                   .licence = amazon_licence,
                   .transforms = binary_undirected,
                   .protocol = "per-class-20-30",
                   .figures = {.nodes = 13'752,
                               .edges = 245'861,
                               .features = 767,
                               .classes = 10,
                               .counted = true,
                               .feature_entries = 3'675'081,
                               .ones = true}},
    CatalogueEntry{.name = "photo",
                   .title = "Amazon Photo",
                   .folder = "amazon_photo",
                   .format = "gnn-benchmark",
                   .base_url = gnn_benchmark_url,
                   .files = amazon_photo_files,
                   .licence = amazon_licence,
                   .transforms = binary_undirected,
                   .protocol = "per-class-20-30",
                   .figures = {.nodes = 7'650,
                               .edges = 119'081,
                               .features = 745,
                               .classes = 8,
                               .counted = true,
                               .feature_entries = 1'979'909,
                               .ones = true}},
    CatalogueEntry{.name = "cora-ml",
                   .title = "Cora-ML, directed",
                   .folder = "cora_ml",
                   .format = "gnn-benchmark",
                   .base_url = "https://github.com/danielzuegner/gnn-meta-attack/raw/master/data/",
                   .files = cora_ml_files,
                   .licence = "repository MIT; data by Bojchevski and Guennemann (MIT)",
                   .transforms = directed,
                   .protocol = "per-class-20-30",
                   .figures = {.nodes = 2'995,
                               .edges = 8'158,
                               .features = 2'879,
                               .classes = 7,
                               .counted = true,
                               .feature_entries = 151'171,
                               .arcs = 8'416}},
    CatalogueEntry{.name = "citeseer-directed",
                   .title = "Citeseer, directed",
                   .folder = "citeseer_npz",
                   .format = "gnn-benchmark",
                   .base_url = gnn_benchmark_url,
                   .files = citeseer_npz_files,
                   .licence = linqs_npz_licence,
                   .transforms = directed,
                   .protocol = "per-class-20-30",
                   .figures = {.nodes = 3'312,
                               .edges = 4'536,
                               .features = 3'703,
                               .classes = 6,
                               .counted = true,
                               .feature_entries = 105'165,
                               .ones = true,
                               .arcs = 4'591}},
    CatalogueEntry{.name = "cora-npz",
                   .title = "Cora, npz form (other node order, no public split)",
                   .folder = "cora_npz",
                   .format = "gnn-benchmark",
                   .base_url = gnn_benchmark_url,
                   .files = cora_npz_files,
                   .licence = linqs_npz_licence,
                   .transforms = undirected,
                   .protocol = "per-class-20-30",
                   .figures = {.nodes = 2'708,
                               .edges = 5'278,
                               .features = 1'433,
                               .classes = 7,
                               .counted = true,
                               .feature_entries = 49'216,
                               .ones = true}},
    CatalogueEntry{
        .name = "arxiv",
        .title = "ogbn-arxiv",
        .folder = "arxiv",
        .format = "ogb",
        .base_url = ogb_url,
        .files = arxiv_files,
        .licence = "ODC-BY",
        .transforms = undirected,
        .protocol = "ogb",
        .figures = {.nodes = 169'343, .edges = 1'166'243, .features = 128, .classes = 40}},
    CatalogueEntry{
        .name = "products",
        .title = "ogbn-products",
        .folder = "products",
        .format = "ogb",
        .base_url = ogb_url,
        .files = products_files,
        .licence = "Amazon licence, as stated by OGB",
        .transforms = undirected,
        .protocol = "ogb",
        .figures = {.nodes = 2'449'029, .edges = 61'859'140, .features = 100, .classes = 47}},
    CatalogueEntry{
        .name = "reddit",
        .title = "Reddit (GraphSAGE)",
        .folder = "reddit",
        .format = "reddit",
        .base_url = "https://data.dgl.ai/dataset/",
        .files = reddit_files,
        .licence = "no explicit licence; posts of Reddit collected for GraphSAGE",
        .transforms = undirected,
        .protocol = "public",
        .figures = {.nodes = 232'965, .edges = 57'307'946, .features = 602, .classes = 41}},
    CatalogueEntry{.name = "wikics",
                   .title = "WikiCS",
                   .folder = "wikics",
                   .format = "wikics",
                   .base_url = "https://github.com/pmernyei/wiki-cs-dataset/raw/master/dataset/",
                   .files = wikics_files,
                   .licence = "repository MIT; text from Wikipedia (CC BY-SA)",
                   .transforms = directed,
                   .protocol = "public",
                   .figures = {.nodes = 11'701, .edges = 216'123, .features = 300, .classes = 10}},
    CatalogueEntry{.name = "cs",
                   .title = "Coauthor CS",
                   .folder = "ms_academic_cs",
                   .format = "gnn-benchmark",
                   .base_url = gnn_benchmark_url,
                   .files = cs_files,
                   .licence = coauthor_licence,
                   .transforms = binary_undirected,
                   .protocol = "per-class-20-30",
                   .figures = {.nodes = 18'333, .edges = 81'894, .features = 6'805, .classes = 15}},
    CatalogueEntry{.name = "physics",
                   .title = "Coauthor Physics",
                   .folder = "ms_academic_phy",
                   .format = "gnn-benchmark",
                   .base_url = gnn_benchmark_url,
                   .files = physics_files,
                   .licence = coauthor_licence,
                   .transforms = binary_undirected,
                   .protocol = "per-class-20-30",
                   .figures = {.nodes = 34'493, .edges = 247'962, .features = 8'415, .classes = 5}},
};

}  // namespace

std::span<const CatalogueEntry> catalogue() {
  return table;
}

}  // namespace creg
