import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPage } from './open-page.ts'
import { itemsFrom, loopOf, nodesOf, viewOf } from './sample-run.ts'
import { openStage, type Stage } from './stage.ts'

let stage: Stage
let page: Page
let problems: readonly string[]

beforeAll(async () => {
  stage = await openStage()
  stage.server.documents.set(`/api/v1/runs/${viewOf(1).run_id}/items`, (query) => {
    const [after, limit] = [Number(query.get('after') ?? -1), Number(query.get('limit'))]
    return { items: itemsFrom(after, limit), next: after + limit }
  })
})
afterAll(() => stage?.close())

async function open(tab: string): Promise<void> {
  // The page of the test before has gone.
  await expect.poll(() => stage.server.streams()).toBe(0)
  const opened = await openPage(stage.browser, `${stage.server.address}/runs/x/${tab}`)
  page = opened.page
  problems = opened.problems
  await expect.poll(() => stage.server.streams()).toBe(1)
}

const headOf = viewOf(10_000).head

/** Sends what has changed of the run to its page. */
function show(nodes: readonly object[], head: object = {}, seq = 101): void {
  stage.server.send('view', { run_id: 'x', seq, head: { ...headOf, ...head }, nodes })
}

describe('the page of a run', () => {
  it('shows what arrives, and leaves the rows of other steps alone', async () => {
    await open('steps')
    await page.evaluate(`{
      globalThis.touched = new Set()
      const rows = [...document.querySelectorAll('table.steps tbody tr')]
      for (const row of rows)
        new MutationObserver((changes) => {
          // Times pass in every row.
          if (changes.some(({ target }) => !target.parentElement.closest('.figure, time')))
            touched.add(row.querySelector('.step-name').textContent)
        }).observe(row, { subtree: true, childList: true, characterData: true, attributes: true })
    }`)
    const [last] = nodesOf(10_000).slice(-1)
    show([{ ...last, status: 'running', started_at: '2026-11-23T09:00:00Z' }], { status: 'waiting' })

    await expect.poll(() => page.innerText('.stand')).toBe('waiting')
    expect(await page.innerText('tr:last-child .word')).toBe('running')
    expect(await page.evaluate('[...touched]')).toEqual(['last'])
    expect(await page.innerText('.connection')).toBe('live')
    expect(problems).toEqual([])
  })

  it('adds steps where they belong, and drops those that are gone', async () => {
    await open('steps')
    const inner = {
      path: 'prepare/late',
      parent: 'prepare',
      position: 2,
      id: 'late',
      kind: 'call',
      status: 'running',
    }
    show([inner])
    const names = (): Promise<unknown> =>
      page.evaluate(`[...document.querySelectorAll('.step-name')].map((name) => name.textContent)`)

    await expect
      .poll(names)
      .toEqual(['prepare', 'probe', 'never', 'late', 'checks', 'report', 'approve', 'last'])
    stage.server.send('view', { ...viewOf(10_000), seq: 102, nodes: nodesOf(10_000).slice(0, 2) })
    await expect.poll(names).toEqual(['prepare', 'probe'])
  })

  it('stops to follow a run that has ended', async () => {
    await open('steps')
    show([], { status: 'succeeded', ended_at: '2026-11-23T09:00:01Z' })

    await expect.poll(() => stage.server.streams()).toBe(0)
    expect(await page.innerText('.stand')).toBe('succeeded')
  })
})

describe('the items of a loop', () => {
  it('are a field of cells, and a table of one page', async () => {
    await open('items')
    expect(await page.locator('.item-table tbody tr').count()).toBe(100)
    expect(await page.getAttribute('.pager a', 'href')).toContain('tab=items&step=checks&after=99')

    // Cells of 6 pixels, and one between them: the fourth of the second row.
    const across = Number(await page.evaluate(`Math.floor(document.querySelector('canvas').clientWidth / 7)`))
    await page.click('canvas', { position: { x: 3 * 7 + 3, y: 7 + 3 } })
    await expect.poll(() => page.innerText('.detail h3')).toBe(`host-${across + 3}`)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.detail').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('tell their failure once, in the step where it happened', async () => {
    const path = 'checks[11]'
    const error = itemsFrom(10, 1)[0]?.error
    const { run_id, ...view } = viewOf(1)
    stage.server.documents.set(`/api/v1/runs/${run_id}/items/${encodeURIComponent(path)}`, () => ({
      ...view,
      run_id,
      nodes: [
        {
          path: `${path}/look`,
          position: 0,
          id: 'look',
          kind: 'call',
          action: 'core/log',
          status: 'failed',
          error,
        },
      ],
    }))
    await open('items')
    await page.click('canvas', { position: { x: 11 * 7 + 3, y: 3 } })
    await expect.poll(() => page.innerText('.detail')).toContain('look')
    expect((await page.innerText('.detail')).split('the agent is offline')).toHaveLength(2)
  })

  it('change while frames arrive', async () => {
    await open('items')
    const loop = nodesOf(10_000).find(({ path }) => path === 'checks')
    show([{ ...loop, loop: loopOf(10_000, 9000) }])

    await expect.poll(() => page.innerText('.figures')).toContain('9\u202f000')
  })
})

it('tells a failure once, where it happened', async () => {
  await open('steps')
  const error = { code: 'Overloaded', message: 'the host is busy' }
  const failed = nodesOf(10_000)
    .filter(({ path }) => path.startsWith('prepare'))
    .map((node) => (node.id === 'never' ? node : { ...node, status: 'failed', error }))
  show(failed)
  await expect.poll(() => page.innerText('.steps tr:has-text("probe")')).toContain('the host is busy')
  expect(await page.innerText('.steps tr:has-text("prepare")')).not.toContain('the host is busy')

  const again = failed
    .filter(({ id }) => id === 'probe')
    .map(({ error: _, ...node }) => ({ ...node, status: 'running' }))
  show(again, {}, 102)
  await expect.poll(() => page.innerText('.steps tr:has-text("prepare")')).toContain('the host is busy')
})

describe('the lanes of time', () => {
  it('draw the waits of each step in a pattern of their own, fold idle times, and say the same in words', async () => {
    await open('time')
    const drawn = (await page.evaluate(
      `[...document.querySelectorAll('.lanes .span')].map((span) => [span.getAttribute('class'), getComputedStyle(span).fill])`,
    )) as readonly (readonly [name: string, fill: string])[]
    const fills = new Map(drawn)
    expect([...fills.keys()].map((name) => name.replace('span ', '')).sort()).toEqual([
      'paused',
      'person',
      'rate-limit',
      'retry',
      'target',
      'working',
    ])
    expect(new Set(fills.values()).size).toBe(6)
    expect(await page.innerText('.legend')).toContain('idle, folded: 1m 05s')
    expect(await page.innerText('.lanes tr:has-text("probe") .waited')).toBe(
      '3.0s rate limit, 2.0s target lock, 2.0s retry, 2.0s paused or waiting',
    )
    expect(problems).toEqual([])
  })

  it('show what the items of a large loop waited for, each pattern as high as its part of them', async () => {
    await open('time')
    const lane = page.locator('.lanes tr:has-text("checks")')
    const drawn = await lane
      .locator('.span')
      .evaluateAll((spans) =>
        spans.map((span) => [
          span.getAttribute('class'),
          span.getAttribute('y'),
          span.getAttribute('height'),
        ]),
      )
    expect(drawn[0]).toEqual(['span working', '2', '12'])
    expect(drawn.slice(1, 3)).toEqual([
      ['span rate-limit', '2', '9.6'],
      ['span rate-limit', '2', '9.6'],
    ])
    expect(drawn[3]).toEqual(['span rate-limit', '2', '9.6'])
    expect(drawn[4]?.[0]).toBe('span target')
    expect(drawn).toHaveLength(1 + 38 + 1)
    expect(await lane.locator('.waited').innerText()).toBe('items: 80% rate limit, under 1% target lock')
  })

  it('keep what a step waited for when the wait is over', async () => {
    await open('time')
    const approve = nodesOf(10_000).find(({ path }) => path === 'approve')
    const { waits: _, ...rest } = approve ?? {}
    const past = [{ reason: 'approval', since: '2026-11-23T08:59:10Z', until: '2026-11-23T08:59:40Z' }]
    show([{ ...rest, status: 'running', past_waits: past, waited_ms: { approval: 30_000 } }])
    await expect
      .poll(() => page.innerText('.lanes tr:has-text("approve") .waited'))
      .toBe('30s person or event')
  })

  it('show the part that is selected by dragging, and all of it again', async () => {
    await open('time')
    const widthOf = async (): Promise<number> =>
      Number(
        await page.evaluate(
          `document.querySelector('.lanes .span.rate-limit').getBoundingClientRect().width`,
        ),
      )
    const before = await widthOf()
    const box = await page.locator('.lanes tr:has-text("probe") .lane svg').boundingBox()
    if (!box) throw new Error('no lane')
    await page.mouse.move(box.x, box.y + 8)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 10, box.y + 8, { steps: 4 })
    await expect.poll(() => page.locator('.drag').count()).toBe(1)
    await page.mouse.up()
    await expect.poll(widthOf).toBeGreaterThan(4 * before)
    await page.click('text=Show all of it')
    await expect.poll(widthOf).toBeLessThan(before + 1)
    expect(problems).toEqual([])
  })
})

it('is small: a page loads less than 60 KB', async () => {
  await open('steps')
  const addresses = (await page.evaluate(
    `[...document.querySelectorAll('script[src], link[rel=stylesheet]')].map(({ src, href }) => src ?? href)`,
  )) as readonly string[]
  const texts = await Promise.all(addresses.map(async (address) => (await fetch(address)).text()))
  const sizes = texts.map((text) => gzipSync(text).length)

  expect(sizes.length).toBe(2)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(60_000)
})
