// Looks at the mock's page as a person does, with a real browser:
//
//	node page.mjs URL BROWSER [SCREENSHOT]
//
// It ends with 0 if all holds, and else says what does not.
import assert from "node:assert/strict";
import {chromium} from "playwright-core";

const [url, executablePath, screenshot] = process.argv.slice(2);
const browser = await chromium.launch({executablePath, args: ["--no-sandbox", "--disable-quic", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--no-first-run"]});
try {
  const page = await browser.newPage({viewport: {width: 1180, height: 1010}, colorScheme: "light"});
  const trouble = [], asked = new Set();
  page.on("console", m => { if (m.type() === "error" && !m.text().includes("net::ERR")) trouble.push(m.text()); });
  page.on("pageerror", e => trouble.push(String(e)));
  page.on("dialog", d => { trouble.push("a dialog: " + d.message()); d.dismiss(); });
  page.on("request", r => asked.add(new URL(r.url()).origin));
  const text = selector => page.locator(selector).textContent();
  const becomes = async (what, holds) => {
    for (let n = 0; n < 200; n++) {
      if (await holds().catch(() => false)) return;
      await page.waitForTimeout(100);
    }
    assert.fail(what + "; the page says: " + await text("main"));
  };
  const gauge = async (name, column) => (await page.locator("#gauges tr", {hasText: name}).first().locator("td").nth(column).textContent());

  const answer = await page.goto(url + "/");
  assert.match(answer.headers()["content-security-policy"], /default-src 'none'/);
  await becomes("the instruments speak", async () => /^\d+\.\d$/.test(await gauge("Below keel", 2)));
  await becomes("the tools speak", async () => /depth state: [\d.]+ metres below the keel/.test(await text("#spoken")));
  await becomes("there is a track", async () => (await page.locator("#track").getAttribute("points")).split(" ").length > 3);
  assert.equal(await text("#scenario"), "passage");
  assert.match(await gauge("House voltage", 1), /^1\d\.\d\d V$/);

  if (screenshot) {
    await page.getByRole("button", {name: "night-watch", exact: true}).click();
    await becomes("ships", async () => await page.locator("#chart .name").count() > 0);
    await page.waitForTimeout(45000);
    await page.getByRole("button", {name: "disagree", exact: true}).click();
    await becomes("a warning", async () => /disagree/.test(await text("#spoken")));
    await page.screenshot({path: screenshot});
    await page.getByRole("button", {name: "disagree", exact: true}).click();
  }

  // A scenario: the boat is elsewhere, and there is an anchor.
  await page.getByRole("button", {name: "anchor", exact: true}).click();
  await becomes("another scenario", async () => await text("#scenario") === "anchor");
  await becomes("the anchor watch", async () => await page.locator("#chart circle").count() === 2);
  assert.match(await text("#log"), /She drags/);

  // A fault: what the server says is not the truth any more, and then it is again.
  await page.getByRole("button", {name: "null", exact: true}).click();
  await becomes("null", async () => await gauge("Below keel", 2) === "–" && /^\d/.test(await gauge("Below keel", 1)));
  await page.getByRole("button", {name: "null", exact: true}).click();
  await becomes("mended", async () => /^\d/.test(await gauge("Below keel", 2)));

  // Names of strangers are texts, whatever is in them.
  await page.getByRole("button", {name: "hostile-names", exact: true}).click();
  await becomes("a hostile greeting", async () => (await text("#alarms")).includes("plugins.greeting"));
  await page.waitForTimeout(5000); // five seconds of names
  assert.equal(await page.locator("img, a, b, code").count(), 0, "no markup came of them");
  await page.getByRole("button", {name: "hostile-names", exact: true}).click();

  assert.deepEqual(trouble, []);
  assert.deepEqual([...asked], [new URL(url).origin], "it asks its own server alone");
} finally {
  await browser.close();
}
