import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPage } from './open-page.ts'
import { addresses, openStage, type Stage } from './stage.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

it.each(addresses)(
  'the page %s can be read without scripts, and is the same once they have run',
  async (address, text) => {
    const { browser, server } = stage
    const still = await openPage(browser, `${server.address}${address}`, { javaScriptEnabled: false })
    const live = await openPage(browser, `${server.address}${address}`)

    // The clock of the second one runs.
    const texts = [await still.page.innerText('main'), await live.page.innerText('main')].map((shown) =>
      shown.replaceAll(/\b[\d.]+[smhd]\b/g, 'some time'),
    )
    expect(texts[0]).toContain(text)
    expect(texts[1]).toBe(texts[0])
    expect(live.problems).toEqual([])
    await still.page.context().close()
    await live.page.context().close()
  },
)
