/** Style sheet of reports: the colours of the web UI, light and dark, on wide and narrow windows, and on paper. */

/** Tokens of the web UI that reports use; a test compares them with `web/styles/tokens.css`. */
export const reportTokens: Readonly<Record<string, string>> = {
  ground: "light-dark(#f7f5f0, #15171b)",
  surface: "light-dark(#fffefb, #1b1e23)",
  sunken: "light-dark(#efece4, #101216)",
  line: "light-dark(#e4dfd4, #2b3037)",
  ink: "light-dark(#1f2328, #e8e6e1)",
  "ink-soft": "light-dark(#4a4f57, #b9bcc2)",
  "ink-faint": "light-dark(#666156, #979ca5)",
  accent: "light-dark(#1d4f91, #8fb8f2)",
  "accent-ground": "light-dark(#e6eef9, #1f2d42)",
  "accent-fill": "light-dark(#1d4f91, #2f6bb8)",
  code: "light-dark(#7a3c00, #ffcf8a)",
  "code-ground": "light-dark(#fff3d9, #37290f)",
  good: "light-dark(#1c6b3f, #7bd3a0)",
  "good-ground": "light-dark(#e0f3e7, #16301f)",
  bad: "light-dark(#a8261b, #ff9d92)",
  "bad-ground": "light-dark(#fdeae7, #3a1917)",
  font: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif',
  mono: 'ui-monospace, "SF Mono", "Cascadia Mono", "Segoe UI Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  "text-small": "0.75rem",
  text: "0.84375rem",
  "text-large": "1.0625rem",
  "text-huge": "1.5rem",
  round: "6px",
  "round-large": "10px",
};

const tokens = Object.entries(reportTokens).map(([name, value]) => `--${name}: ${value};`);

/** Content of the `style` element. */
export const reportStyle: string = `
:root { color-scheme: light dark; ${tokens.join(" ")} }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 400 var(--text) / 1.5 var(--font); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
h1, h2, h3, h4, p, ul, ol, dl, dd, pre, figure { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: var(--text-huge); font-weight: 650; letter-spacing: -0.015em; line-height: 1.2; }
h2 { font-size: var(--text-large); font-weight: 620; line-height: 1.35; }
h3, h4 { font-size: var(--text); font-weight: 620; }
h4, dt, th { color: var(--ink-faint); font-size: var(--text-small); font-weight: 560; text-align: start; }
a { color: var(--accent); text-underline-offset: 2px; }
code, pre { font-family: var(--mono); font-size: 0.95em; }
pre { white-space: pre-wrap; }
summary { cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: var(--round); }
.page { max-width: 1180px; margin: 0 auto; padding: 32px 24px 64px; }
.page, .tests { display: grid; gap: 24px; }
.page > *, .tests > *, .test > *, .mail > *, .content > * { min-width: 0; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.faint { color: var(--ink-faint); }
.brand { color: var(--accent); font-weight: 620; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(128px, 1fr)); gap: 12px; margin-top: 20px; }
.tiles > div, .card { border: 1px solid var(--line); border-radius: var(--round-large); background: var(--surface); }
.tiles > div { padding: 12px 16px; }
.tiles dd { font-size: var(--text-huge); font-weight: 620; line-height: 1.25; }
.tiles .bad dd { color: var(--bad); }
.scroll { overflow: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 8px 16px; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
td:first-child { min-width: 220px; }
.number { text-align: end; white-space: nowrap; }
.chip { display: inline-block; padding: 1px 9px; border-radius: 11px; background: var(--sunken); color: var(--ink-soft); font-size: var(--text-small); font-weight: 560; white-space: nowrap; }
.chip.passed, .good .mark { background: var(--good-ground); color: var(--good); }
.chip.failed, .bad .mark { background: var(--bad-ground); color: var(--bad); }
.warning .mark { background: var(--code-ground); color: var(--code); }
.unknown .mark { background: var(--sunken); color: var(--ink-faint); }
.test { display: grid; gap: 16px; padding: 20px 24px 24px; scroll-margin-top: 12px; }
.facts { display: flex; flex-wrap: wrap; gap: 4px 12px; margin-top: 6px; color: var(--ink-faint); font-size: var(--text-small); align-items: baseline; }
.events { margin-top: 8px; border-inline-start: 2px solid var(--line); }
.events li { display: grid; grid-template-columns: 84px 120px minmax(0, 1fr); gap: 12px; align-items: baseline; padding: 3px 0 3px 12px; position: relative; }
.events li::before { content: ""; position: absolute; inset: 10px auto auto -5px; width: 8px; height: 8px; border-radius: 50%; background: var(--accent-fill); }
.events li.failed::before { background: var(--bad); }
.events .offset { font-family: var(--mono); font-size: var(--text-small); color: var(--ink-soft); text-align: end; }
.bar { width: 100%; height: 6px; align-self: center; }
.events .why { grid-column: 3; margin: 2px 0 6px; }
.bar .track { fill: var(--sunken); }
.bar .span { fill: var(--accent-fill); }
.failed .bar .span { fill: var(--bad); }
.why { margin-top: 6px; padding: 10px 12px; border-radius: var(--round); background: var(--bad-ground); color: var(--bad); }
.mail { display: grid; gap: 12px; padding-top: 16px; border-top: 1px solid var(--line); }
.content { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 24px; align-items: start; }
figure { display: grid; gap: 6px; }
figcaption { color: var(--ink-faint); font-size: var(--text-small); }
.picture { max-height: 620px; overflow: auto; border: 1px solid var(--line); border-radius: var(--round); background: #ffffff; }
.picture img { display: block; width: 100%; height: auto; }
.plain { max-height: 620px; overflow: auto; padding: 14px 16px; border: 1px solid var(--line); border-radius: var(--round); background: var(--sunken); }
.sms .plain { border-radius: 14px; background: var(--accent-ground); font: inherit; justify-self: start; }
.details { display: grid; gap: 14px; }
.details dl { display: grid; gap: 8px; }
.one-time { padding: 0 6px; border-radius: var(--round); background: var(--code-ground); color: var(--code); font-weight: 620; }
.details li + li { margin-top: 4px; }
.checks { display: grid; gap: 6px; margin-top: 6px; }
.checks > li:not(:has(details)) { padding-inline-start: 14px; }
.mark { display: inline-grid; place-items: center; width: 18px; height: 18px; margin-inline-end: 6px; border-radius: 50%; font-size: 11px; font-weight: 700; }
.findings { margin: 6px 0 4px 24px; color: var(--ink-soft); font-size: var(--text-small); }
@media (width < 820px) {
  .page { padding: 20px 12px 40px; }
  .page, .tests { gap: 16px; }
  .test { padding: 16px 14px 18px; }
  .content { grid-template-columns: minmax(0, 1fr); }
  .events li { grid-template-columns: 68px minmax(0, 1fr); gap: 8px; }
  .events .bar { display: none; }
  .events .why { grid-column: 1 / -1; }
  th, td { padding: 8px 12px; }
  summary { min-height: 28px; }
}
@media print {
  :root { color-scheme: light; }
  body { background: #ffffff; }
  .page { max-width: none; padding: 0; }
  .picture, .plain { max-height: none; overflow: visible; }
  .scroll { overflow: visible; }
  details::details-content { content-visibility: visible; block-size: auto; }
  h2, h3, h4, .facts { break-after: avoid; }
  .tiles > div, .events li, .checks > li, tr { break-inside: avoid; }
}
`;
