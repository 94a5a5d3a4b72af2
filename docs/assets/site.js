// Draws the charts that the pages' tables hold the figures of, and opens flame graphs in place.
// Without it a page still has all its tables and links.
"use strict";

(() => {
  const GAP = "\u202f";
  const HEIGHT_PX = 320;
  const FLAMEGRAPH_HEIGHT_MAX_PX = 720;
  const FLAMEGRAPH_SHARE_MAX = 0.7; // Of the window's height.
  const LABEL_PX = 13;
  const X_LABEL_PX = 66;

  const style = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();
  const isDark = () => document.body.getAttribute("data-md-color-scheme") === "slate";

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // ---- figures, as scripts/workbook/pages/numbers.py writes them

  const grouped = (value) => {
    const digits = String(Math.round(value));
    return Math.abs(value) < 10000 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, GAP);
  };

  function digits(value) {
    if (value === 0) return "0";
    const decimals = 2 - Math.floor(Math.log10(Math.abs(value)));
    return decimals <= 0 ? grouped(value) : value.toFixed(decimals);
  }

  const ms = (value) => (value == null ? "–" : `${digits(value)}${GAP}ms`);
  const rate = (value) => `${grouped(value)}/s`;
  const isDecade = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-6;
  const decades = (_plot, splits) => splits.map((value) => (isDecade(value) ? value : null));
  const fromZero = (_plot, _least, most) => [0, most * 1.05];
  const tick = (value) => String(+value.toPrecision(3));

  // Leaves out what would be written over its neighbour on a narrow screen.
  const apart = (splits, widthPx) => {
    let last = -Infinity;
    return splits.map((x) => {
      const px = ((x - splits[0]) / (splits.at(-1) - splits[0])) * widthPx;
      if (px - last < X_LABEL_PX) return null;
      last = px;
      return x;
    });
  };

  /** A place on the axis of nines as a percentile: 1 is 90 %, 2 is 99 %. */
  function percentile(nines) {
    const decimals = Math.max(0, Math.ceil(nines - 1.999));
    return `${+(100 * (1 - 10 ** -nines)).toFixed(decimals)}${GAP}%`;
  }

  // ---- charts

  const FIFTY = Math.log10(2);

  const KINDS = {
    percentiles: (data) => ({
      x: data.nines,
      xName: "percentile",
      xText: percentile,
      xSplits: [FIFTY, 1, 2, 3, 4, 5, 6].filter((x) => x <= data.nines.at(-1)),
      points: false,
    }),
    ladder: (data) => ({
      x: data.rates,
      xName: "rate",
      xText: rate,
      xSplits: null,
      xScale: { range: (_plot, _least, most) => [0, most * 1.03] },
      points: true,
      hooks: { draw: [(plot) => drawKnee(plot, data)] },
    }),
    sweep: (data) => ({
      x: data.counts,
      xName: data.what,
      xText: String,
      xSplits: null,
      yName: "answers a second",
      yText: rate,
      isLinear: true,
      spanGaps: true, // Measured at some of the numbers only.
    }),
    queue: (data) => ({
      x: data.rates,
      xName: "rate",
      xText: rate,
      xSplits: null,
      xScale: { range: (_plot, _least, most) => [0, most * 1.03] },
      hooks: { draw: [(plot) => drawNotHeld(plot, data)] },
    }),
    timeline: (data) => ({
      x: data.seconds,
      xName: "second",
      xText: (value) => `${value}${GAP}s`,
      xSplits: null,
      points: false,
      hooks: { drawAxes: [(plot) => drawLoss(plot, data)], draw: [(plot) => drawFailed(plot, data)] },
    }),
  };

  function drawKnee(plot, data) {
    const { ctx } = plot;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.fillStyle = style("--chart-bad");
    data.rates.forEach((x, i) => {
      if (!data.held[i]) drawDot(plot, x, data.series.at(-1).ms[i]);
    });
    if (data.knee != null) {
      const left = plot.valToPos(data.knee, "x", true);
      const { top, height } = plot.bbox;
      ctx.strokeStyle = ctx.fillStyle = style("--chart-text");
      ctx.setLineDash([6 * ratio, 4 * ratio]);
      ctx.lineWidth = ratio;
      ctx.beginPath();
      ctx.moveTo(left, top);
      ctx.lineTo(left, top + height);
      ctx.stroke();
      ctx.font = `${LABEL_PX * ratio}px ${style("--chart-font")}`;
      ctx.textAlign = left > plot.bbox.left + plot.bbox.width / 2 ? "right" : "left";
      const shift = (ctx.textAlign === "right" ? -6 : 6) * ratio;
      ctx.fillText(`holds ${rate(data.knee)}`, left + shift, top + LABEL_PX * ratio);
    }
    ctx.restore();
  }

  function drawNotHeld(plot, data) {
    plot.ctx.save();
    plot.ctx.fillStyle = style("--chart-bad");
    data.rates.forEach((x, i) => data.held[i] || drawDot(plot, x, data.series[0].ms[i]));
    plot.ctx.restore();
  }

  /** Point n stands for the second that begins n seconds after the run did. */
  function drawLoss(plot, data) {
    const { ctx } = plot;
    const ratio = devicePixelRatio;
    const [from, to] = data.lost.map((second) => plot.valToPos(second - 0.5, "x", true));
    const { top, height } = plot.bbox;
    ctx.save();
    ctx.fillStyle = style("--chart-bar");
    ctx.fillRect(from, top, to - from, height);
    ctx.fillStyle = style("--chart-text");
    ctx.font = `${LABEL_PX * ratio}px ${style("--chart-font")}`;
    ctx.fillText(data.fault, from + 6 * ratio, top + LABEL_PX * ratio);
    ctx.restore();
  }

  function drawFailed(plot, data) {
    plot.ctx.save();
    plot.ctx.fillStyle = style("--chart-bad");
    for (const { ms, failed } of data.series) {
      failed.forEach((count, i) => count > 0 && drawDot(plot, data.seconds[i], ms[i]));
    }
    plot.ctx.restore();
  }

  function drawDot({ ctx, valToPos }, x, y) {
    ctx.beginPath();
    ctx.arc(valToPos(x, "x", true), valToPos(y, "y", true), 5 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.fill();
  }

  const values = (series) => series.ms ?? series.per_s;

  class Chart {
    constructor(figure) {
      this.data = JSON.parse(figure.querySelector("script").textContent);
      this.kind = KINDS[this.data.kind](this.data);
      this.answered = this.data.answered ?? [];
      this.isLog = !this.kind.isLinear;
      this.yText = this.kind.yText ?? ms;
      this.index = null;
      this.words = element("p", { class: "chart-words", "aria-live": "polite" });
      this.plotted = element("div", {
        class: "chart-plot",
        tabindex: "0",
        role: "group",
        "aria-label": `${figure.getAttribute("aria-label")}. Arrow keys read the figures one by one.`,
      });
      this.scale = element("button", { type: "button", class: "chart-scale" });
      this.scale.addEventListener("click", () => this.setLog(!this.isLog));
      figure.prepend(element("p", { class: "chart-title" }, figure.getAttribute("aria-label"), this.scale), this.plotted, this.words);
      this.plotted.addEventListener("keydown", (event) => this.onKey(event));
      this.make();
      new ResizeObserver(() => this.resize()).observe(figure);
    }

    make() {
      this.plot?.destroy();
      this.scale.textContent = this.isLog ? "linear scale" : "logarithmic scale";
      const lines = [...this.data.series.map(values), ...this.answered.map((each) => each.per_s)];
      this.plot = new uPlot(this.options(), [this.kind.x, ...lines], this.plotted);
    }

    options() {
      const text = style("--chart-text");
      const axis = {
        stroke: text,
        font: `12px ${style("--chart-font")}`,
        labelFont: `12px ${style("--chart-font")}`,
        grid: { stroke: style("--chart-grid"), width: 1 },
        ticks: { stroke: style("--chart-grid"), width: 1 },
      };
      return {
        width: this.width(),
        height: HEIGHT_PX,
        cursor: { y: false, drag: { setScale: false }, points: { size: 7 } },
        scales: {
          x: { time: false, ...this.kind.xScale },
          y: this.isLog ? { distr: 3 } : { range: fromZero },
          ...(this.answered.length && { rate: { range: fromZero } }),
        },
        axes: [
          {
            ...axis,
            ...(this.kind.xSplits && { splits: () => this.kind.xSplits }),
            values: (plot, splits) => apart(splits, plot.width).map((x) => (x == null ? "" : this.kind.xText(x))),
            space: 70,
          },
          {
            ...axis,
            label: this.kind.yName ?? "latency, ms",
            labelSize: 20,
            size: 54,
            grid: { ...axis.grid, ...(this.isLog && { filter: decades }) },
            ticks: { ...axis.ticks, ...(this.isLog && { filter: decades }) },
            values: (_plot, splits) => splits.map((v) => (v == null ? "" : tick(v))),
          },
          ...(this.answered.length ? [this.rateAxis(axis)] : []),
        ],
        series: [
          { label: this.kind.xName, value: (_plot, value) => (value == null ? "–" : this.kind.xText(value)) },
          ...this.data.series.map((each, i) => ({
            label: each.label,
            stroke: style(each.floor ? "--chart-floor" : `--chart-${i + 1}`),
            dash: each.floor ? [6, 4] : undefined,
            width: 2,
            points: { show: each.points ?? this.kind.points, size: 6 },
            spanGaps: this.kind.spanGaps ?? false,
            value: (_plot, value) => (value == null ? "–" : this.yText(value)),
          })),
          ...this.answered.map((each, i) => ({
            label: each.label,
            scale: "rate",
            stroke: style(`--chart-${i + 1}`),
            dash: [2, 4],
            width: 1,
            points: { show: false },
            value: (_plot, value) => (value == null ? "–" : rate(value)),
          })),
        ],
        hooks: this.kind.hooks ?? {},
      };
    }

    rateAxis(axis) {
      const values = (_plot, splits) => splits.map(grouped);
      return { ...axis, scale: "rate", side: 1, label: "answered a second", labelSize: 20, size: 54, grid: { show: false }, values };
    }

    width() {
      return Math.max(200, this.plotted.clientWidth);
    }

    resize() {
      if (this.width() !== this.plot.width) this.plot.setSize({ width: this.width(), height: HEIGHT_PX });
    }

    setLog(isLog) {
      this.isLog = isLog;
      this.make();
    }

    onKey(event) {
      const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const last = this.kind.x.length - 1;
      this.index = this.index == null ? 0 : Math.min(last, Math.max(0, this.index + step));
      const x = this.kind.x[this.index];
      this.plot.setCursor({ left: this.plot.valToPos(x, "x"), top: 10 });
      const told = this.data.series
        .filter((each) => values(each)[this.index] != null)
        .map((each) => `${each.label} ${this.yText(values(each)[this.index])}`);
      told.push(...this.answered.map((each) => `${each.label} ${rate(each.per_s[this.index])}`));
      this.words.textContent = `${this.kind.xText(x)}: ${told.join(", ")}`;
    }
  }

  // ---- flame graphs

  /** A number on the widest frame of a graph whose name matches. It follows when the graph is drawn anew. */
  class Callout {
    constructor(graph, pattern, number) {
      this.graph = graph;
      // The graph's own variables are not properties of its window.
      this.own = (expression) => graph.eval(expression);
      const frames = this.own("levels").flat().filter((frame) => pattern.test(frame.title));
      this.target = frames.reduce((widest, frame) => (frame.width > widest.width ? frame : widest), { width: 0 });
      if (!this.target.width) return;
      this.mark = graph.document.createElement("b");
      this.mark.className = "callout";
      this.mark.textContent = number;
      this.mark.style.cssText =
        "position:absolute;width:18px;height:18px;margin:-1px 0 0 1px;border-radius:50%;background:#1d3557;color:#fff;" +
        "font:bold 12px/18px system-ui,sans-serif;text-align:center;pointer-events:none;box-shadow:0 0 0 1px #fff";
      graph.document.body.append(this.mark);
      const render = graph.render;
      graph.render = (...words) => {
        const matched = render(...words);
        this.place();
        return matched;
      };
      this.place();
    }

    place() {
      const root = this.own("root");
      const canvas = this.own("canvas");
      const isShown = this.target.left < root.left + root.width && this.target.left + this.target.width > root.left;
      const y = this.own("inverted") ? this.target.level * 16 : canvas.offsetHeight - (this.target.level + 1) * 16;
      this.mark.hidden = !isShown;
      this.mark.style.left = `${canvas.offsetLeft + Math.max(this.target.left - root.left, 0) * this.own("px")}px`;
      this.mark.style.top = `${canvas.offsetTop + y}px`;
    }
  }

  class FlameGraphs {
    constructor(box) {
      this.frame = null;
      this.opened = box.dataset.opened;
      this.callouts = JSON.parse(box.dataset.callouts ?? "[]").map((pattern) => new RegExp(pattern));
      const links = [...box.querySelectorAll("a")];
      this.tabs = links.map((link, i) => this.tab(link, i));
      this.own = element("a", { class: "flamegraph-own", target: "_blank", hidden: "" }, "Open it in a tab of its own");
      this.panel = element("div", { class: "flamegraph-panel", role: "tabpanel", "aria-label": "Flame graph" });
      this.panel.append(element("p", {}, "Choose a graph. It is loaded when you open it."));
      const list = element("div", { class: "flamegraph-tabs", role: "tablist", "aria-label": "Flame graphs" }, ...this.tabs);
      list.addEventListener("keydown", (event) => this.onKey(event));
      box.replaceChildren(list, this.panel, this.own);
      this.tabs[0]?.setAttribute("tabindex", "0");
      if (this.opened) this.openWhenNear(links.findIndex((link) => this.isOpened(link.href)));
    }

    isOpened(address) {
      return address.endsWith(`/${this.opened}`);
    }

    /** A reader who does not come near the graph does not load it. */
    openWhenNear(chosen) {
      const observer = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        if (!this.frame) this.tabs[chosen].click();
      }, { rootMargin: "400px" });
      observer.observe(this.panel);
    }

    tab(link, i) {
      const made = element("button", { type: "button", role: "tab", "aria-selected": "false", tabindex: "-1" }, link.textContent);
      made.addEventListener("click", () => this.open(i, link.href));
      return made;
    }

    onKey(event) {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const at = this.tabs.indexOf(document.activeElement);
      if (step === undefined || at < 0) return;
      event.preventDefault();
      this.tabs.at((at + step) % this.tabs.length).focus();
    }

    open(chosen, address) {
      this.tabs.forEach((tab, i) => {
        tab.setAttribute("aria-selected", String(i === chosen));
        tab.setAttribute("tabindex", i === chosen ? "0" : "-1");
      });
      try {
        localStorage.setItem("flame-theme", isDark() ? "dark" : "light"); // Where the graph looks for it.
      } catch {
        // It then goes by the system's.
      }
      this.frame = element("iframe", { src: address, title: `Flame graph: ${this.tabs[chosen].textContent}` });
      this.frame.addEventListener("load", () => {
        this.fit();
        if (this.isOpened(address)) this.callouts.forEach((pattern, i) => new Callout(this.frame.contentWindow, pattern, i + 1));
      });
      this.panel.replaceChildren(this.frame);
      this.own.href = address;
      this.own.hidden = false;
    }

    /** As high as the graph, up to a limit; beyond that its foot is shown, where it is widest. */
    fit() {
      const { documentElement } = this.frame.contentDocument;
      this.frame.style.height = `${Math.min(documentElement.scrollHeight, FLAMEGRAPH_HEIGHT_MAX_PX, innerHeight * FLAMEGRAPH_SHARE_MAX)}px`;
      this.frame.contentWindow.scrollTo(0, documentElement.scrollHeight);
    }

    recolour() {
      const page = this.frame?.contentDocument;
      if (page && page.documentElement.classList.contains("dark") !== isDark()) page.getElementById("darkmode")?.click();
    }
  }

  // ---- the page

  /** An old address of a heading that is on another page now: the page has a link with its id (pages/chapters.py). */
  function followMovedHeading() {
    const id = decodeURIComponent(location.hash.slice(1));
    const link = id && document.getElementById(id)?.closest(".continued a");
    if (link) location.replace(link.href);
  }

  followMovedHeading();
  addEventListener("hashchange", followMovedHeading);

  const charts = [...document.querySelectorAll("figure.chart")].map((figure) => new Chart(figure));
  const graphs = [...document.querySelectorAll("div.flamegraphs")].map((box) => new FlameGraphs(box));

  new MutationObserver(() => {
    charts.forEach((chart) => chart.make());
    graphs.forEach((each) => each.recolour());
  }).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
})();
