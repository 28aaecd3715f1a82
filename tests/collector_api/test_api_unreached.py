"""Each flag of trtexec that the bindings' program does not take is named, with the reason."""

from __future__ import annotations

import pytest

from trexreport.collector.flags import Stage, flag_table
from trexreport.collector.tensorrt_api.options import KNOWN, read_request
from trexreport.collector.tensorrt_api.unreached import why_unreached
from trexreport.errors import UsageError

TABLE = flag_table()
#: What the commands for versions of the bindings (8.6 and later) have under other names, or never.
ELSEWHERE = {
    "decomposableAttentions",
    "enablePluginOverride",
    "explicitBatch",
    "explicitPrecision",
    "minTiming",
}
ELSEWHERE |= {"nativeInstanceNorm", "ni", "nvtxMode", "pi", "pluginInstanceNorm", "workspace"}
UNREACHED = sorted(set(TABLE.spans) - KNOWN - TABLE.own - set(TABLE.unmeasurable) - set(TABLE.refused))


@pytest.mark.parametrize("flag", UNREACHED)
def test_it_is_named_with_its_reason(flag):
    with pytest.raises(UsageError) as refused:
        read_request([f"--{flag}"])
    assert f"does not know --{flag}." in str(refused.value)
    assert "--backend trtexec" in refused.value.hint
    assert bool(why_unreached(flag)) is (flag not in ELSEWHERE)


def test_several_streams_are_refused_and_one_is_not():
    assert read_request(["--infStreams=1"]).measures
    with pytest.raises(UsageError, match=r"--infStreams=2\. It measures on one stream"):
        read_request(["--infStreams=2"])


def test_what_measures_is_reached_or_refused():
    measuring = {flag for flag in TABLE.spans if Stage.TIMING in TABLE.stages_of(flag)}
    assert {
        flag for flag in measuring if flag not in KNOWN and not why_unreached(flag)
    } <= ELSEWHERE | TABLE.own
