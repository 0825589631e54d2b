/**
 * The console of `opsbook serve` at a loop of 10,000 items. What 20 viewers cost the loop, in pairs of runs with and
 * without them: less than 5 %. What a viewer is sent in a minute at 200 events a second: less than four frames of
 * 32 KB a second. What the pages cost a browser meanwhile: interactive in 1 s, no task over 200 ms, under 150 MB.
 * What a page loads, compressed: under 60 KB. How long other requests wait while a run is read for its first viewer: at
 * most 200 ms.
 *
 *     npm run build && npx tsx bench/console.ts [PAIRS] [SECONDS]
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { openBrowser } from '../test/browser/open-browser.ts'
import { type LoopInputs, openStage, type Stage } from './console/stage.ts'
import { openViewers } from './console/viewers.ts'
import { type TabCosts, watchTab } from './console/watch-tab.ts'
import { verdict } from './verdict.ts'

const pairs = Number(process.argv[2] ?? 5)
const seconds = Number(process.argv[3] ?? 30)
const items = 10_000
const viewers = 20

const limits = {
  viewers: 1.05,
  bytesPerMinute: 4 * 60 * 32 * 1024,
  bundleBytes: 60_000,
  interactiveMs: 1000,
  longestTaskMs: 200,
  megabytes: 150,
  heldUpMs: 200,
} as const

/** Prints a figure as part of its limit. */
function say(what: string, figure: string, ratio: number, limit = 1): void {
  console.log(`${what}: ${figure}`)
  verdict(what, ratio, limit)
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

/** 20 items in flight that take 0.1 s: about 1,500 events a second. */
const busy: LoopInputs = { items, quick: 0.8 * items, wait: '100ms' }
/** About 200 events a second. */
const calm: LoopInputs = { ...busy, wait: '800ms' }

async function run(stage: Stage, watching: number): Promise<number> {
  const runId = await stage.start(busy)
  const open = await openViewers(stage, runId, watching)
  const tookMs = await stage.untilEnded(runId, busy)
  open.close()
  return tookMs
}

async function measureViewers(stage: Stage): Promise<void> {
  await run(stage, 1)
  const taken: (readonly [watched: number, alone: number])[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const isFirst = pair % 2 === 0
    const [one, other] = [await run(stage, isFirst ? viewers : 0), await run(stage, isFirst ? 0 : viewers)]
    taken.push(isFirst ? [one, other] : [other, one])
    console.log(`${viewers} viewers: ${taken.at(-1)?.[0]} ms, nobody: ${taken.at(-1)?.[1]} ms`)
  }
  const ratio = median(taken.map(([watched, alone]) => watched / alone))
  say(`a loop of ${items} items with ${viewers} viewers`, `${pairs} pairs`, ratio, limits.viewers)
}

async function measurePages(stage: Stage): Promise<void> {
  const runId = await stage.start(calm)
  await stage.untilBegun(runId, calm.quick)
  const open = await openViewers(stage, runId, 1)
  const [bytes, frames, fromMs] = [open.bytes, open.frames, performance.now()]
  const browser = await openBrowser()
  try {
    for (const tab of ['items&step=hosts', 'steps', 'time']) {
      const costs = await watchTab(browser, stage, `/runs/${runId}?tab=${tab}`, seconds)
      sayCosts(`the tab ${tab.replace(/&.*/, '')}`, costs)
    }
  } finally {
    await browser.close()
  }
  const minutes = (performance.now() - fromMs) / 60_000
  const perMinute = (open.bytes - bytes) / minutes
  open.close()
  say(
    'what a viewer is sent in a minute',
    `${Math.round(perMinute / 1024)} KB in ${Math.round((open.frames - frames) / minutes)} frames`,
    perMinute / limits.bytesPerMinute,
  )
}

/** Reads a run that has ended and that nobody has looked at, while another viewer asks for something small. */
async function measureFirstView(stage: Stage): Promise<void> {
  const get = async (path: string): Promise<string> =>
    (await fetch(stage.url + path, { headers: { cookie: stage.cookie } })).text()
  const runId = await stage.start(busy)
  while (!(await get('/api/v1/runs?limit=1')).includes('"ended_at"')) await sleep(500)
  const waited: number[] = []
  const fromMs = performance.now()
  let tookMs: number | undefined
  const reading = get(`/api/v1/runs/${runId}/view`).then(() => {
    tookMs = performance.now() - fromMs
  })
  while (tookMs === undefined) {
    const askedMs = performance.now()
    await get('/api/v1/openapi.json')
    waited.push(performance.now() - askedMs)
    await sleep(5)
  }
  await reading
  const longest = Math.max(...waited)
  console.log(
    `the first view of ${items} items took ${Math.round(tookMs)} ms, with ${waited.length} answers meanwhile`,
  )
  say('the longest wait meanwhile', `${Math.round(longest)} ms`, longest / limits.heldUpMs)
}

function sayCosts(page: string, { interactiveMs, longestTaskMs, megabytes, elements }: TabCosts): void {
  console.log(`${page}: ${elements} elements`)
  say(`${page}, interactive`, `${Math.round(interactiveMs)} ms`, interactiveMs / limits.interactiveMs)
  say(`${page}, longest task`, `${Math.round(longestTaskMs)} ms`, longestTaskMs / limits.longestTaskMs)
  say(`${page}, memory`, `${Math.round(megabytes)} MB`, megabytes / limits.megabytes)
}

function measureBundle(): void {
  const folder = new URL('../dist/console/', import.meta.url)
  const sizes = readdirSync(folder)
    .filter((name) => /^console-.*\.(js|css)$/.test(name))
    .map((name) => gzipSync(readFileSync(new URL(name, folder))).length)
  const all = sizes.reduce((sum, size) => sum + size, 0)
  say('what a page loads, compressed', `${all} bytes`, all / limits.bundleBytes)
}

/** Each in a new process, so that no run of another measurement is still there. */
async function onStage(measure: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await openStage()
  try {
    await measure(stage)
  } finally {
    await stage.close()
  }
}

measureBundle()
await onStage(measureFirstView)
await onStage(measurePages)
await onStage(measureViewers)
