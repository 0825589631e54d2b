import type { Browser, Page } from 'playwright-core'

/** A page whose person has logged in by a one-time address, and what its scripts have complained about. */
export async function logIn(
  browser: Browser,
  login: string,
  javaScriptEnabled: boolean,
): Promise<{ readonly page: Page; readonly problems: readonly string[] }> {
  const page = await (await browser.newContext({ javaScriptEnabled })).newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    // A refused form is answered with the status of its refusal.
    if (message.type() === 'error' && !message.text().includes('status of 4')) problems.push(message.text())
  })
  await page.goto(login)
  await page.click('button')
  return { page, problems }
}
