#include "explain/page.h"

namespace spc::explain {

std::string_view pageStyle() {
  return R"(:root { color-scheme: light dark; --ground: #fbfbfa; --panel: #ffffff; --ink: #1c1e21; --soft: #5d636b;
  --edge: #d9dbde; --accent: #1f6feb; --sum: #b3541e; --lit: #fff0b8; }
@media (prefers-color-scheme: dark) { :root { --ground: #15171a; --panel: #1d2024; --ink: #e4e6e9; --soft: #9aa1aa;
  --edge: #343940; --accent: #6cb0ff; --sum: #f0a35e; --lit: #4a4213; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem clamp(0.75rem, 3vw, 2.5rem) 3rem; max-width: 96rem; background: var(--ground);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; margin: 0.5rem 0 1rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 0.8rem; }
h3 { font-size: 1rem; margin: 0 0 0.6rem; }
code, pre, .assignment, .head b { font-family: ui-monospace, monospace; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.8rem; }
.card, article, figure, .remark { background: var(--panel); border: 1px solid var(--edge); border-radius: 8px; }
.card { padding: 0.7rem 0.9rem; color: var(--soft); font-size: 0.9rem; }
.figure { color: var(--ink); font-size: 1.35rem; font-weight: 600; }
.steps { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 0.9rem; }
article { padding: 0.9rem 1rem; min-width: 0; }
.loop { border: 1px solid var(--edge); border-left: 4px solid var(--accent); border-radius: 6px; padding: 0.4rem 0.6rem;
  margin-top: 0.35rem; } .nest > .loop { margin-top: 0; } .nest + .nest { margin-top: 0.8rem; }
.sum { border-left-color: var(--sum); } .sum > .head b { color: var(--sum); }
.over, .why, .advice, figcaption { color: var(--soft); }
.note { display: inline-block; border: 1px solid var(--edge); border-radius: 1rem; padding: 0 0.6rem; margin: 0.2rem 0.4rem 0 0;
  font-size: 0.85rem; }
.assignment { margin-top: 0.4rem; padding: 0.3rem 0.5rem; border-radius: 4px; background: var(--ground); }
ul { margin: 0.7rem 0 0; padding-left: 1.2rem; font-size: 0.92rem; }
.remark { padding: 0.6rem 0.9rem; margin-bottom: 0.5rem; } .id { color: var(--sum); margin-right: 0.4rem; }
.wide { overflow-x: auto; overflow-wrap: normal; } table { border-collapse: collapse; width: 100%; font-size: 0.9rem; margin-bottom: 1rem; }
th, td { text-align: left; padding: 0.3rem 0.7rem; border-bottom: 1px solid var(--edge); vertical-align: top; }
th { color: var(--soft); font-weight: 500; } .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th:nth-last-child(-n+2) { text-align: right; } .own td { font-weight: 600; color: var(--accent); }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 0.9rem; }
figure { margin: 0; padding: 0.7rem; min-width: 0; } figcaption { font-size: 0.9rem; margin-bottom: 0.5rem; }
.roofline { grid-column: span 2; } @media (max-width: 40rem) { .roofline { grid-column: auto; } }
svg { display: block; width: 100%; max-height: 26rem; } svg text { fill: var(--soft); font-size: 12px; }
.grid { stroke: var(--edge); } .roof { stroke: var(--ink); stroke-width: 2; stroke-linecap: round; }
.drop { stroke: var(--accent); stroke-dasharray: 3 4; } .mark { fill: var(--accent); }
.sheet { fill: none; stroke: var(--edge); stroke-width: 0.3; } .cell { fill: var(--accent); }
.stages { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0.9rem; }
pre { margin: 0; max-height: 30rem; overflow: auto; font-size: 12px; line-height: 1.45; overflow-wrap: normal; }
pre span { display: block; min-width: max-content; padding: 0 0.3rem; border-radius: 3px; } pre [data-line] { cursor: pointer; }
.lit { background: var(--lit) !important; } .cut { color: var(--soft); }
)";
}

std::string_view pageScript() {
  return R"(const lines = [...document.querySelectorAll('[data-line]')];
let kept = null;
const light = (number) => lines.forEach((one) => one.classList.toggle('lit', one.dataset.line === number));
for (const one of lines) {
  one.addEventListener('mouseenter', () => light(one.dataset.line));
  one.addEventListener('mouseleave', () => light(kept));
  if (one.closest('pre')) one.addEventListener('click', () => {
    kept = kept === one.dataset.line ? null : one.dataset.line;
    light(kept);
    for (const pane of document.querySelectorAll('pre')) {
      const first = kept && pane !== one.closest('pre') && pane.querySelector('.lit');
      if (first) pane.scrollTop = first.offsetTop - pane.offsetTop - 20;
    }
  });
}
)";
}

} // namespace spc::explain
