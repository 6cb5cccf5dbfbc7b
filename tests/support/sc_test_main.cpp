// Entry of SystemC test programs: the library owns main() and calls sc_main().
#define BOOST_TEST_NO_MAIN
#define BOOST_TEST_ALTERNATIVE_INIT_API
#include <boost/test/unit_test.hpp>

#include <systemc>

static bool init_tests() { return true; }

int sc_main(int argc, char** argv) { return boost::unit_test::unit_test_main(&init_tests, argc, argv); }
