import { openBrowser } from './test/browser/open-browser.ts'
const [, , first, ...paths] = process.argv
const browser = await openBrowser()
const c = await browser.newContext(); const page = await c.newPage()
await page.goto(first); const b = page.locator('button[type=submit]'); if (await b.count()) await b.first().click(); await page.waitForLoadState('load')
for (const path of paths) { await page.goto(new URL(first).origin + path); console.log('##', path)
console.log((await page.locator('main a, main button').evaluateAll(as => as.map(a => a.getAttribute('href')+'  '+a.textContent.trim().slice(0,40)))).join('\n')); console.log((await page.locator('main').innerText()).slice(0,3500)) }
await browser.close()
