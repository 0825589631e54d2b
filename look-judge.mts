import { openBrowser } from './test/browser/open-browser.ts'
const [, , first, ...shots] = process.argv
const browser = await openBrowser()
const login = await browser.newContext()
const page0 = await login.newPage()
await page0.goto(first)
const button = page0.locator('button[type=submit]')
if (await button.count()) await button.first().click()
await page0.waitForLoadState('load')
const state = await login.storageState()
const origin = new URL(first).origin
for (const shot of shots) {
  const [name, width, dark, path, click] = shot.split('|')
  const context = await browser.newContext({ storageState: state, viewport: { width: Number(width), height: 900 }, colorScheme: dark === 'd' ? 'dark' : 'light' })
  const page = await context.newPage()
  await page.goto(origin + path)
  await page.waitForLoadState('load')
  if (click) { await page.locator(click).first().click(); await page.waitForTimeout(700) }
  await page.screenshot({ path: `/tmp/look/${name}.png`, fullPage: true })
  await context.close()
}
await browser.close()
