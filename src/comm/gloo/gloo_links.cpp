#include <arpa/inet.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "comm/answer_limit.h"
#include "comm/communicator.h"
#include "comm/gloo/group.h"
#include "comm/gloo/no_sigpipe.h"
#include "comm/gloo/watch.h"
#include "comm/peer_links.h"
#include "comm/route.h"
#include "core/parse_value.h"
#include "core/text.h"
#include "creg/core/error.h"

namespace creg {
namespace {

using c10d::ProcessGroupGloo;
using c10d::TCPStore;
using StorePtr = c10::intrusive_ptr<c10d::Store>;
using Clock = std::chrono::steady_clock;

/// How often ranks that wait for others look for them, and for Ctrl-C.
constexpr std::chrono::milliseconds between_looks{50};
/// c10d may wait for as long as it was told before its waiting is ended.
constexpr std::chrono::milliseconds after_timeout{1000};
/// How long one try to reach rank 0 may take: c10d tries again by itself, and knows no Ctrl-C.
constexpr std::chrono::milliseconds longest_try{5000};

/// A libtorch may be built without the server that its newer versions prefer; the old one is always
/// there.
template <class Options>
void use_plain_server(Options& options) {
  if constexpr (requires { options.useLibUV; }) options.useLibUV = false;
}

std::vector<std::uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

/// What the ranks tell each other before they are connected.
struct Place {
  std::string host;
  std::string identity;
  std::string master;  ///< rank 0's address as this rank sees it
};

std::string text_of(const Place& place) {
  return place.host + "\n" + place.identity + "\n" + place.master;
}

Place place_of(const std::string& text) {
  std::istringstream lines(text);
  Place place;
  std::getline(lines, place.host);
  std::getline(lines, place.identity);
  std::getline(lines, place.master);
  return place;
}

/// Where ranks find each other: a table of texts that one process keeps.
class MeetingPlace {
 public:
  MeetingPlace(const RankLaunch& launch, std::chrono::milliseconds timeout,
               std::function<bool()> stopped)
      : launch_(launch),
        timeout_(timeout),
        end_(Clock::now() + timeout),
        stopped_(std::move(stopped)) {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(launch.port);
    options.isServer = launch.rank == 0 && !launch.met_by_launcher;
    options.waitWorkers = false;
    use_plain_server(options);
    const bool met = options.isServer ? connect(options) : wait_for([&] {
      return answers(launch.master, launch.port) && connect(options);
    });
    if (!met) fail_to_meet(options.isServer);
  }

  const StorePtr& store() const { return store_; }

  /// Everybody's place, in the order of ranks.
  std::vector<Place> meet(const Place& own) {
    std::vector<Place> places;
    std::vector<std::string> missing;
    try {
      store_->set(key(launch_.rank), bytes_of(text_of(own)));
      for (int rank = 0; rank < launch_.size && missing.size() < 8; ++rank) {
        if (!wait_for([&] { return store_->check({key(rank)}); })) {
          missing.push_back(std::to_string(rank));
          continue;
        }
        const std::vector<std::uint8_t> text = store_->get(key(rank));
        places.push_back(place_of({text.begin(), text.end()}));
      }
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception&) {
      fail_to_meet(false);
    }
    if (missing.empty()) return places;
    fail_environment({.what = "not all ranks have come",
                      .file = address(),
                      .found = "no word of " + counted_ranks(missing) + " within " + seconds(),
                      .expected = std::to_string(launch_.size) + " ranks",
                      .hint = "look at what these ranks say; more time: --dist-timeout"});
  }

 private:
  bool connect(c10d::TCPStoreOptions options) {
    options.timeout = std::min(timeout_, longest_try);
    const AnswerLimit limit(launch_.master, launch_.port, options.timeout, stopped_);
    try {
      const auto table = c10::make_intrusive<TCPStore>(launch_.master, options);
      table->setTimeout(timeout_);
      store_ = c10::make_intrusive<c10d::PrefixStore>(launch_.name, table);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  static std::string key(int rank) { return "place/" + std::to_string(rank); }
  static std::string counted_ranks(const std::vector<std::string>& ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ") + join_words(ranks);
  }
  std::string address() const { return launch_.master + ":" + std::to_string(launch_.port); }
  std::string seconds() const {
    return human_seconds(static_cast<double>(timeout_.count()) / 1000.0);
  }

  /// Whether it came true while there was time; tried once at least.
  bool wait_for(const std::function<bool()>& is_true) const {
    while (true) {
      if (stopped_ && stopped_()) throw Interrupted();
      if (is_true()) return true;
      if (Clock::now() >= end_) return false;
      std::this_thread::sleep_for(between_looks);
    }
  }

  [[noreturn]] void fail_to_meet(bool server) const {
    if (stopped_ && stopped_()) throw Interrupted();
    if (server) {
      fail_environment({.what = "rank 0 cannot listen where the ranks meet",
                        .file = address(),
                        .hint = "another program may use this port: set MASTER_PORT to a free one; "
                                "MASTER_ADDR must be the host of rank 0"});
    }
    fail_environment({.what = "rank 0 is not where the ranks meet",
                      .file = address(),
                      .found = "no answer within " + seconds(),
                      .hint = "is rank 0 running there, and may this host connect to it? "
                              "MASTER_ADDR and MASTER_PORT say where"});
  }

  const RankLaunch& launch_;
  std::chrono::milliseconds timeout_;
  Clock::time_point end_;
  std::function<bool()> stopped_;
  StorePtr store_;
};

/// By which interface this rank talks to the others. A host name that means 127.0.0.1 on its own
/// host is no address for other hosts: there the one counts by which these see it.
std::shared_ptr<gloo::transport::Device> interface_for(const RankLaunch& launch,
                                                       const std::vector<Place>& places,
                                                       const Route& route) {
  if (const auto names = process_variables()("GLOO_SOCKET_IFNAME"); names && !names->empty()) {
    const std::string name = names->substr(0, names->find(','));
    try {
      return ProcessGroupGloo::createDeviceForInterface(name);
    } catch (const std::exception&) {
      fail_input({.what = "no network interface of this name has an address",
                  .file = "GLOO_SOCKET_IFNAME",
                  .found = name,
                  .hint = "`ip address` lists them"});
    }
  }
  const std::string& here = places[launch.rank].identity;
  const auto other = std::find_if(places.begin(), places.end(),
                                  [&](const Place& place) { return place.identity != here; });
  std::string address = route.from;
  if (other == places.end()) {
    address = "127.0.0.1";
  } else if (route.loopback) {
    address = other->master;
    if (!is_own_address(address)) {
      fail_environment({.what = "no address of this host that the other hosts see",
                        .file = "MASTER_ADDR",
                        .found = launch.master + ", which is " + route.to + " here and " + address +
                                 " on " + other->host,
                        .hint = "name the network interface: GLOO_SOCKET_IFNAME=eth0"});
    }
  }
  return ProcessGroupGloo::createDeviceForHostname(address);
}

class GlooLinks : public PeerLinks {
 public:
  GlooLinks(const RankLaunch& launch, const CommunicatorOptions& chosen) {
    // Gloo's own threads start here, and those of the watch.
    const NoSigpipe quiet;
    const std::chrono::milliseconds timeout(std::llround(chosen.timeout_seconds * 1000));
    const Route route = route_to(launch.master);
    MeetingPlace meeting(launch, timeout, chosen.stopped);
    std::optional<AnswerLimit> limit(std::in_place, launch.master, launch.port,
                                     timeout + after_timeout, chosen.stopped);
    const std::vector<Place> places =
        meeting.meet({.host = host_name(), .identity = host_identity(), .master = route.to});
    // For two groups. Who is stopped meanwhile tells the others once they are connected.
    limit.emplace(launch.master, launch.port, 2 * timeout + after_timeout, nullptr);
    for (const Place& place : places) hosts_.push_back(place.host);
    const auto device = interface_for(launch, places, route);
    const auto connect = [&](const char* name) {
      auto options = ProcessGroupGloo::Options::create(timeout);
      options->devices.push_back(device);
      options->threads = 1;
      return c10::make_intrusive<ProcessGroupGloo>(
          c10::make_intrusive<c10d::PrefixStore>(name, meeting.store()), launch.rank, launch.size,
          options);
    };
    try {
      watched_ = connect("watch");
      group_ = connect("data");
    } catch (const std::exception& error) {
      if (chosen.stopped && chosen.stopped()) throw Interrupted();
      const std::string text = error.what();
      fail_environment({.what = "the ranks cannot connect to each other",
                        .file = launch.master,
                        .found = text.substr(0, text.find('\n')),
                        .hint = "may all hosts connect to all ports of each other? "
                                "GLOO_SOCKET_IFNAME names the network interface"});
    }
    limit.reset();
    watch_ = std::make_unique<Watch>(watched_, launch.rank, launch.size, timeout,
                                     [this] { give_up_all(); });
  }

  ~GlooLinks() override {
    const NoSigpipe quiet;
    watch_.reset();
    group_.reset();
    watched_.reset();
  }

  const std::vector<std::string>& hosts() const override { return hosts_; }
  bool lost_one() const override { return watch_->loss().has_value(); }

  std::unique_ptr<Transfer> send(const at::Tensor& values, int to, int tag) override {
    std::vector<at::Tensor> tensors{values};
    return begin(to, [&] { return group_->send(tensors, to, tag); });
  }

  std::unique_ptr<Transfer> receive(const at::Tensor& values, int from, int tag) override {
    std::vector<at::Tensor> tensors{values};
    return begin(from, [&] { return group_->recv(tensors, from, tag); });
  }

  void part() override {
    const NoSigpipe quiet;
    watch_->part();
  }
  void fail(const std::string& reason) override {
    const NoSigpipe quiet;
    watch_->fail(reason);
  }

 private:
  class GlooTransfer : public Transfer {
   public:
    GlooTransfer(GlooLinks& links, GroupWork work, int peer)
        : links_(links), work_(std::move(work)), peer_(peer) {
      const std::lock_guard lock(links_.mutex_);
      links_.under_way_.insert(work_.get());
      if (links_.given_up_) work_->abort();
    }
    GlooTransfer(const GlooTransfer&) = delete;
    GlooTransfer& operator=(const GlooTransfer&) = delete;
    ~GlooTransfer() override {
      const std::lock_guard lock(links_.mutex_);
      links_.under_way_.erase(work_.get());
    }

    void wait() override {
      const NoSigpipe quiet;
      bool done = false;
      try {
        done = work_->wait(no_time_limit);
      } catch (const std::exception&) {
        done = false;
      }
      if (!done) links_.fail_lost(peer_);
    }

   private:
    GlooLinks& links_;
    GroupWork work_;
    int peer_;
  };

  template <class Begin>
  std::unique_ptr<Transfer> begin(int peer, const Begin& begin) {
    const NoSigpipe quiet;
    GroupWork work;
    try {
      work = begin();
    } catch (const std::exception&) {
      fail_lost(peer);
    }
    return std::make_unique<GlooTransfer>(*this, std::move(work), peer);
  }

  /// From a thread of the watch: whoever waits stops waiting.
  void give_up_all() {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    for (c10d::Work* const work : under_way_) work->abort();
  }

  [[noreturn]] void fail_lost(int peer) {
    const Watch::Loss loss = watch_->loss_behind(peer);
    fail_environment({.what = "rank " + std::to_string(loss.rank) + " (" + hosts_[loss.rank] +
                              ") is lost: " + loss.reason,
                      .hint = "start the ranks again; `creg train --resume DIR` goes on from the "
                              "last checkpoint, with any number of them"});
  }

  std::vector<std::string> hosts_;
  Group watched_;
  Group group_;
  std::mutex mutex_;
  std::set<c10d::Work*> under_way_;
  bool given_up_ = false;
  // Last: its threads use the members above.
  std::unique_ptr<Watch> watch_;
};

}  // namespace

std::unique_ptr<PeerLinks> connect_peers(const RankLaunch& launch,
                                         const CommunicatorOptions& options) {
  return std::make_unique<GlooLinks>(launch, options);
}

bool has_communication() {
  return true;
}

}  // namespace creg
