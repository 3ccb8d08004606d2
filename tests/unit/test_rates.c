/* Rates and latencies: every capability of the device table has them, and they agree with it. */
#include "metrics/metric/rates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void every_device_since_volta_has_rates_and_latencies(void **state)
{
    (void)state;
    int seen = 0;
    for (size_t i = 0; device_at(i); i++) {
        const Device *d = device_at(i);
        if (device_arch(d) < 70)
            continue;
        const Rates *r = rates_of(d);
        const Latencies *l = latencies_of(d);
        assert_non_null(r);
        assert_non_null(l);
        assert_int_equal((int)r->fp32, d->fp32_per_sm);
        assert_true(r->tensor >= 2 * r->half && r->constant > 0 && r->code_bytes >= 32768);
        assert_true(l->alu < l->shared && l->shared <= l->l1 && l->l1 < l->l2 && l->l2 < l->dram);
        seen++;
    }
    assert_true(seen > 10);
}

static void older_devices_have_none(void **state)
{
    (void)state;
    assert_null(rates_of(device_find("8800gtx")));
    assert_null(latencies_of(device_find("8800gtx")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_device_since_volta_has_rates_and_latencies),
        cmocka_unit_test(older_devices_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
