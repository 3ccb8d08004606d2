#!/usr/bin/env bats
# The report that every run leaves, as files and as a browser shows it.
load common
holds='.*'
held_files=csv
held_less='/^saved/d'

browser() {
    chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --user-data-dir="$PWD/profile" "$@" 2>browser.log
}

needs_browser() {
    command -v chromium >/dev/null && chromium --version 2>/dev/null | grep -q '^Chromium' ||
        skip "no Chromium here (./setup test installs it on Debian; Ubuntu has it as a snap alone)"
}

# What look.js finds in a report; $2 is the window's width, the rest are options of the browser.
look() {
    local page=$1 width=$2
    shift 2
    { sed '/<\/body>/d' "$page"; echo '<script>'; cat "$data/look.js"; echo '</script></body></html>'; } >look.html
    browser --window-size="$width",900 --dump-dom "$@" "file://$PWD/look.html" >dom.html
    sed -n 's|.*<pre id="facts">\(.*\)</pre>.*|\1|p' dom.html | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
}

# Pictures are XML that any program reads (where there is one to ask), and take nothing from elsewhere.
pictures_are_sound() {
    ! command -v xmllint >/dev/null || xmllint --noout "$1"/pictures/*.svg
    lacks "$(sed 's| xmlns="http://www.w3.org/2000/svg"||g' "$1/report.html" "$1"/pictures/*.svg)" \
        'https?:|//[a-z]|<script|<link|@import|url\(|<image|<img|<iframe'
}

points() { jq -r "[.pictures[\"$2\"].groups[] | .points] | add" <<<"$1"; }

# Texts outside of pictures or over each other, a page wider than its window.
layout_is_sound() {
    [ "$(jq -c '[.pictures[] | select(.cut != [] or .overlaps > 0)]' <<<"$1")" = '[]' ] ||
        { jq -c '.pictures | to_entries[] | select(.value.cut != [] or .value.overlaps > 0) |
                 [.key, .value.cut, .value.overlaps]' <<<"$1"; return 1; }
    [ "$(jq .overflow <<<"$1")" -le 0 ]
}

@test "a replay leaves a report that says so, with its pictures beside it" {
    make_synthetic
    tune --space space/synthetic.spec --output out
    status_is 0
    has "$output" '^ +out/report.html$'
    has "$(cat out/report.html)" '<p class="origin loud">REPLAYED: this run measured nothing'
    has "$(cat out/report.html)" 'THREADS=64 EACH=1: 2 ms'
    has "$(cat out/report.html)" '<td>[0-9.]+ (us|ms), (estimated: the device was not measured|off by [0-9]+ % as a rule)</td>'
    [ -s out/pictures/synthetic-tradeoff.svg ]
    [ -s out/pictures/synthetic-samples.svg ]
    [ -s out/pictures/synthetic-seconds.svg ]
    [ "$(ls out/pictures/*.svg | wc -l)" -eq "$(ls out/pictures/*.pdf | wc -l)" ]
    ! command -v pdftotext >/dev/null || has "$(pdftotext out/pictures/synthetic-samples.pdf -)" '^configurations timed, log scale$'
    [ "$(grep -c '<svg' out/report.html)" -eq "$(ls out/pictures/*.svg | wc -l)" ]
    pictures_are_sound out
}

@test "what differs from the winner in one parameter stands in the report, fastest first" {
    tune --space "$SOURCE/spaces/saxpy.spec" --exhaustive --emit none
    status_is 0
    sed -nE 's|^<tr><td>[A-Z]+</td><td class="way">.* → <b>.*</b></td><td class="n">([0-9.]+)</td>.*|\1|p' \
        aptune-out/saxpy/report.html >times
    [ "$(wc -l <times)" -ge 8 ]
    sort -g times | diff - times
}

@test "the report of a run that only carves has no times, and says so" {
    make_synthetic
    rm -r space/recordings
    tune --space space/synthetic.spec --arch sm_90 --output out
    status_is 0
    has "$(cat out/report.html)" '<p class="origin loud">STATIC: nothing was timed'
    # What would be timed comes before everything else.
    sed '/<table/,$d' out/report.html >first
    has "$(cat first)" '<h3>What would be timed</h3>'
    has "$(cat first)" '^ +[0-9.]+ (us|ms)  [a-zA-Z0-9, ]+ [A-Z]+='
    has "$(cat first)" '^  the next is +[0-9.]+ (us|ms), and was dropped:'
    [ -s out/pictures/synthetic-tradeoff.svg ]
    [ ! -e out/pictures/synthetic-sorted.svg ]
    lacks "$(cat out/report.html)" '[0-9] ms</title>'
    pictures_are_sound out
}

@test "each of several problems has a report" {
    make_synthetic
    sed 's/^problem.*/&\nproblem N = 131072/' space/synthetic.spec >space/two.spec
    tune --space space/two.spec --arch sm_90 --output out
    status_is 0
    has "$(cat out/N=65536/report.html)" '<h1>aptune: two, N=65536 on'
    has "$(cat out/N=131072/report.html)" '<h1>aptune: two, N=131072 on'
}

@test "a run that measured has a report, and its folder can be studied" {
    make_synthetic_gpu
    run --separate-stderr "$fake" --space space/many.spec --exhaustive --output out
    status_is 0
    has "$(cat out/report.html)" '<p class="origin">Measured by this run on synthetic device'
    has "$(cat out/pictures/many-seconds.svg)" '<title>verify: .* s \(GPU time\)</title>'
    [ -s out/pictures/many-samples.svg ]
    pictures_are_sound out
    run --separate-stderr "$APTUNE" study out --seeds 0 --output study
    status_is 0
    [ -z "$stderr" ]
    has "$output" '^many +default +32 +32 '
    has "$output" '^many +predicted_cycles +32 '
    run --separate-stderr "$APTUNE" study out/many.times out --seeds 0 --output twice
    status_is 0
    [ -s twice/pictures/many-tradeoff.svg ]
    [ -s twice/pictures/many-2-tradeoff.svg ]
    mkdir empty
    run --separate-stderr "$APTUNE" study empty
    status_is 2
    has "$stderr" "folder 'empty' holds no recording"
}

@test "where only what carving chose was timed, the report claims nothing about the rest" {
    make_synthetic_gpu
    run --separate-stderr "$fake" --carve --space space/many.spec --output out
    status_is 0
    [ ! -e out/pictures/many-samples.svg ]
    has "$(cat out/pictures/many-tradeoff.svg)" ': not timed</title>'
    has "$(cat out/report.html)" '<th>regret</th><td><pre>not known: only the chosen configurations were timed'
}

@test "what thresholds dropped is told apart" {
    "$APTUNE" study "$SOURCE/spaces/recordings/mm-thesis-h200.times.zst" --seeds 0 --output out \
        --carve $'carve registers <= 40\ncarve front efficiency, utilization'
    has "$(cat out/report.html)" 'carve registers &lt;= 40: 180 of 216 left'
    local dropped
    dropped=$(sed -n '/<g class="crosses dropped">/s/<title>/\n&/gp' out/pictures/mm-thesis-tradeoff.svg |
        awk '/^<title>/ { n += 1; if (match($0, / and [0-9]+ more here/)) n += substr($0, RSTART + 5) } END { print n }')
    [ "$dropped" -eq 36 ]
    has "$(cat out/pictures/mm-thesis-tradeoff.svg)" '>utilization \[instructions\], higher is better, log scale<'
}

@test "a metric of one's own gets a picture, whatever it says about the time" {
    echo 'metric mine lower "registers" "Registers of a block." = registers * threads_per_block' >mine.metrics
    "$APTUNE" study "$SOURCE/spaces/recordings/scan-two-pass-h200.times.zst" --seeds 0 --output out \
        --metrics mine.metrics >/dev/null
    has "$(cat out/pictures/scan-two-pass-time-mine.svg)" '>mine \[registers\], lower is better, log scale<'
    [ "$(ls out/pictures/scan-two-pass-time-*.svg | wc -l)" -eq 8 ]
}

@test "what an audit timed is told apart" {
    make_synthetic
    tune --carve --space space/synthetic.spec --audit 3 --output out
    status_is 0
    local line
    line=$(grep '<g class="diamonds random">' out/pictures/synthetic-tradeoff.svg)
    [ "$(grep -o '<title>THREADS=' <<<"$line" | wc -l)" -eq 3 ]
    has "$(cat out/report.html)" '^audit  '
}

@test "reports stay small: every configuration is told of, few are drawn" {
    "$APTUNE" study "$SOURCE/spaces/recordings/mm-core-h200.times.zst" --seeds 0 --output out >/dev/null
    [ "$(wc -c <out/report.html)" -lt 3000000 ]
    pictures_are_sound out
}

@test "in a browser: every point has its tooltip, nothing is cut off or hidden" {
    needs_browser
    make_synthetic
    tune --space space/synthetic.spec --output out
    local facts
    facts=$(look out/report.html 1400)
    [ "$(jq '.pictures | length' <<<"$facts")" -eq "$(ls out/pictures/*.svg | wc -l)" ]
    # The tradeoff shows all eight, the other cloud those with a time; the winner's ring is one more.
    [ "$(points "$facts" synthetic-tradeoff)" -eq 9 ]
    [ "$(points "$facts" synthetic-sorted)" -eq $((1 + $(jq -r 'select(.status == "ok") | .v' space/recordings/*.times | grep -c '\['))) ]
    [ "$(jq '[.tips[] | select(. == null or (test("^THREADS=|^carving: ") | not))] | length' <<<"$facts")" -eq 0 ]
    [ "$(jq '.tips | length' <<<"$facts")" -gt 20 ]
    [ "$(jq -c '[.resources, .scripts, .words]' <<<"$facts")" = '[0,0,true]' ]
    layout_is_sound "$facts"
}

@test "in a browser: the dark scheme is dark, and a narrow window needs no sideways scrolling" {
    needs_browser
    "$APTUNE" study "$SOURCE"/spaces/recordings/{transpose,scan-two-pass}-h200.times.zst --seeds 3 --output out >/dev/null
    local light dark
    light=$(look out/report.html 400)
    dark=$(look out/report.html 1400 --blink-settings=preferredColorScheme=0)
    [ "$(jq -r .background <<<"$light")" = 'rgb(255, 255, 255)' ]
    [ "$(jq -r .background <<<"$dark")" = 'rgb(22, 24, 27)' ]
    [ "$(jq -r .axis <<<"$light")" = 'rgb(34, 34, 34)' ]
    [ "$(jq -r .axis <<<"$dark")" = 'rgb(221, 221, 221)' ]
    layout_is_sound "$light"
    layout_is_sound "$dark"
    [ "$(jq '[.tips[] | select(. == null)] | length' <<<"$dark")" -eq 0 ]
    [ "$(points "$light" transpose-tradeoff)" -eq 297 ] # all, and the ring around the winner
    [ "$(points "$dark" scan-two-pass-sorted)" -eq 116 ]
}
