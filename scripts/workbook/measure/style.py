"""How the pages of runs look."""

# The colours and tables of the site (docs/assets/site.css), in little.
STYLE = """
:root{color-scheme:light dark;--bg:#fff;--text:#212121;--dim:#5c6470;--line:#0000001f;--link:#1f5fae;--bad:#c81e3a;
--head:#1d3557}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header{background:var(--head);color:#fff;padding:.7rem 1rem;font-weight:600}
main{max-width:66rem;margin:0 auto;padding:0 1rem 3rem}
h1,h2{font-weight:600;letter-spacing:-.01em;line-height:1.3} h1{font-size:2rem;margin:2rem 0 1rem}
h2{font-size:1.5rem;margin:2.5rem 0 .8rem} h3{font-size:.9rem;margin:1.2rem 0 .4rem}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;border:1px solid var(--line);font-size:.8rem;font-variant-numeric:tabular-nums}
th,td{padding:.45em .7em;border-top:1px solid var(--line);text-align:left;white-space:nowrap;vertical-align:top}
th{font-weight:400;vertical-align:bottom;white-space:normal}
td:first-child{white-space:normal;min-width:9rem}
td.n,th.n{text-align:right}
.dim{color:var(--dim);font-size:.85rem} .no{color:var(--bad)} svg{max-width:100%;height:auto} a{color:var(--link)}
.pair{display:flex;flex-wrap:wrap;gap:0 2rem}
@media (prefers-color-scheme:dark){:root{--bg:#1e2129;--text:#e2e4e9d1;--dim:#a3adbd;--line:#ffffff1f;--link:#8fb8ff;
--bad:#ff7a8a;--head:#1b2740}}
"""
