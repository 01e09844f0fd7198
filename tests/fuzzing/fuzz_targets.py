"""What the fuzzer feeds: every reader of untrusted bytes on the trusted side, by name."""

import fuzz_files
import fuzz_messages
import fuzz_models
import fuzz_tests

MODULES = (fuzz_files, fuzz_messages, fuzz_models, fuzz_tests)
TARGETS = {target.name: target for module in MODULES for target in module.TARGETS}
