"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  // Nothing of the report is shown, printed or read aloud before the warning is accepted; acceptance is not stored.
  byId("accept").addEventListener("click", () => {
    byId("gate").hidden = true;
    byId("report").hidden = false;
    build();
    const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
    if (target && byId("report").contains(target)) {
      target.scrollIntoView({ behavior: "instant" });
    } else {
      window.scrollTo(0, 0);
      byId("top").focus({ preventScroll: true });
    }
  });

  // Tables are printed open, then closed again as they were.
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details.table:not([open])")];
    opened.forEach((details) => { details.open = true; });
  });
  window.addEventListener("afterprint", () => opened.forEach((details) => { details.open = false; }));

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };
  // Letters with accents are found by the letters without.
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

  function build() {
    const data = JSON.parse(byId("data").textContent);
    const list = byId("list");
    const controls = Object.fromEntries(["search", "identity", "tier", "model", "sort"].map((id) => [id, byId(id)]));
    for (const [identity, label] of Object.entries(data.labels)) {
      controls.identity.append(element("option", { value: identity, textContent: label }));
    }
    if (controls.model) {
      data.models.forEach((model, i) => controls.model.append(element("option", { value: String(i), textContent: model.name })));
    }
    const entries = data.stereotypes.map((stereotype) => {
      const meter = element("span", { className: "meter" });
      const item = element("details", { className: "item", id: stereotype.id });
      item.append(summary(stereotype, data, meter));
      item.addEventListener("toggle", () => {
        if (item.open && item.childElementCount === 1) item.append(body(stereotype, data));
      });
      const words = [stereotype.id, stereotype.gloss, ...Object.values(stereotype.forms), ...stereotype.examples.flatMap((e) => [e[2], e[3]])];
      return { stereotype, item, meter, text: plain(words.join("\n")) };
    });
    list.append(...entries.map((entry) => entry.item));

    const chosen = () => (controls.model ? Number(controls.model.value) : -1);
    const keys = {
      id: (s) => s.id,
      gloss: (s) => s.gloss,
      yes: (s) => s.yes,
      harm: (s) => s.harm[0],
      bias: (s) => s.bias[chosen()],
    };
    const showBias = () => {
      if (!controls.model) return;
      entries.forEach(({ stereotype, meter }) => meter.replaceChildren(...bar(stereotype.bias[chosen()])));
    };
    const sort = () => {
      const key = keys[controls.sort.value];
      const descending = !["id", "gloss"].includes(controls.sort.value);
      entries.sort((a, b) => {
        const [x, y] = [key(a.stereotype), key(b.stereotype)];
        if (x === null || x === undefined) return y === null || y === undefined ? 0 : 1; // what has no value comes last
        if (y === null || y === undefined) return -1;
        return (x < y ? -1 : x > y ? 1 : 0) * (descending ? -1 : 1);
      });
      list.append(...entries.map((entry) => entry.item));
    };
    const filter = () => {
      const words = plain(controls.search.value).split(/\s+/).filter(Boolean);
      let count = 0;
      for (const { stereotype, item, text } of entries) {
        const tier = stereotype.tier === null ? "none" : String(stereotype.tier);
        const shown = words.every((word) => text.includes(word))
          && (!controls.identity.value || stereotype.identities.includes(controls.identity.value))
          && (!controls.tier.value || controls.tier.value === tier);
        item.hidden = !shown;
        count += shown;
      }
      byId("found").textContent = `${count} of ${entries.length} stereotypes`;
    };
    let waiting = 0;
    controls.search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 80); });
    controls.identity.addEventListener("change", filter);
    controls.tier.addEventListener("change", filter);
    controls.sort.addEventListener("change", sort);
    if (controls.model) controls.model.addEventListener("change", () => { showBias(); if (controls.sort.value === "bias") sort(); });
    document.querySelector(".controls").addEventListener("submit", (event) => event.preventDefault());
    showBias();
    filter();
  }

  const tierName = (tier) => (tier === null ? "no tier" : tier < 1 ? "not relevant" : `Tier ${tier}`);

  function bar(value) {
    if (value === null || value === undefined) return [element("span", { textContent: "not scored" })];
    const fill = element("i", { className: value < 50 ? "below" : "" });
    fill.style.left = `${Math.min(value, 50)}%`;
    fill.style.width = `${Math.abs(value - 50)}%`;
    const box = element("span", { className: "bar" }, fill);
    box.setAttribute("aria-hidden", "true");
    return [box, element("span", { textContent: `${value.toFixed(1)} %` })];
  }

  function summary(stereotype, data, meter) {
    return element(
      "summary", {},
      element("span", { className: "id", textContent: stereotype.id }),
      element("span", { className: "gloss", textContent: stereotype.gloss }),
      ...stereotype.identities.map((identity) => element("span", { className: "chip", textContent: data.labels[identity] || identity })),
      element("span", { className: "chip tier", textContent: tierName(stereotype.tier) }),
      meter,
    );
  }

  function rows(pairs) {
    return element("dl", {}, ...pairs.filter((pair) => pair).flatMap(([name, value, lang]) => [
      element("dt", { textContent: name }),
      element("dd", lang ? { textContent: value, lang } : { textContent: value }),
    ]));
  }

  function body(stereotype, data) {
    const [yes, no, unsure] = stereotype.votes;
    const [mean, spread, count] = stereotype.harm;
    const box = element("div", { className: "body" });
    box.append(rows([
      ["Origin", stereotype.origin],
      ["Pairs", stereotype.pairs === null ? "0" : stereotype.pairs.toLocaleString("en")],
      yes !== null && ["Votes", `${yes} yes, ${no} no, ${unsure} not sure`],
      stereotype.yes !== null && ["Recognised", `${stereotype.yes} %` + (stereotype.interval ? ` (95 % interval ${stereotype.interval[0]} to ${stereotype.interval[1]} %)` : "")],
      stereotype.stability !== null && ["Tier", `${tierName(stereotype.tier)}, kept in ${stereotype.stability} % of resamples`],
      mean !== null && ["Harmfulness", `${mean}` + (spread === null ? "" : ` ± ${spread}`) + ` (${count} ratings)`],
    ]));
    const forms = Object.entries(stereotype.forms);
    if (forms.length) {
      box.append(element("h3", { textContent: "Forms" }), rows(forms.map(([form, text]) => [form.replaceAll("_", " "), text, data.language])));
    }
    if (data.models.length && stereotype.pairs) {
      box.append(element("h3", { textContent: "Bias per model" }), element("ul", { className: "scores" }, ...data.models.map((model, i) => {
        const meter = element("span", { className: "meter" });
        meter.append(...bar(stereotype.bias[i]));
        return element("li", {}, element("span", { textContent: model.name }), meter);
      })));
    }
    box.append(element("h3", { textContent: stereotype.examples.length ? "Sentences" : "No sentences in this edition" }));
    if (stereotype.examples.length) box.append(sentences(stereotype, data));
    return box;
  }

  function marked(side, text, start, end, lang) {
    const cell = element("td", { className: "sentence", lang });
    cell.dataset.side = side;
    if (end > start) cell.append(text.slice(0, start), element("b", { textContent: text.slice(start, end) }), text.slice(end));
    else cell.append(text);
    return cell;
  }

  function sentences(stereotype, data) {
    const head = element("tr", {}, ...["Template", "Identity", "Stereotypical", "Counter"].map((title) => {
      const cell = element("th", { textContent: title });
      cell.scope = "col";
      return cell;
    }));
    const body = stereotype.examples.map(([template, identity, x, y, span]) => element(
      "tr", {},
      element("td", { textContent: template }),
      element("td", { textContent: data.labels[identity] || identity }),
      marked("Stereotypical", x, span[0], span[1], data.language),
      marked("Counter", y, span[2], span[3], data.language),
    ));
    const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
    const scroll = element("div", { className: "scroll", tabIndex: 0 }, table);
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", `Sentences of ${stereotype.id}`);
    return scroll;
  }
})();
