// Entry of the test programs that do not use SystemC.
#define BOOST_TEST_MODULE gyre
#include <boost/test/unit_test.hpp>
