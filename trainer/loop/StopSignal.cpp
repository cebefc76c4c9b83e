#include "trainer/loop/StopSignal.h"

#include <csignal>

namespace raf::trainer {
namespace {

volatile std::sig_atomic_t stopSignal = 0;
struct sigaction previousInt, previousTerm;

void note(int signal) { stopSignal = signal; }

} // namespace

StopSignal::StopSignal() {
  stopSignal = 0;
  struct sigaction action{};
  action.sa_handler = note;
  // SA_RESETHAND: the second signal ends the process; SA_RESTART: no write fails because of one.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previousInt);
  sigaction(SIGTERM, &action, &previousTerm);
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &previousInt, nullptr);
  sigaction(SIGTERM, &previousTerm, nullptr);
}

int StopSignal::received() { return stopSignal; }

} // namespace raf::trainer
