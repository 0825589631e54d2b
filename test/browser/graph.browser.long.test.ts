import { readdirSync, readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActions } from '../../src/actions/index.ts'
import { loadRunbook } from '../../src/load/index.ts'
import { drawGraph, writeMermaid, writeSvg } from '../../src/view/graph/index.ts'
import { loadCase } from '../core/play-case.ts'
import { hostileNames } from '../view/hostile-names.ts'
import { planNamed } from '../view/plan-of-names.ts'
import { shapes } from '../view/shapes.ts'
import { type Mermaid, openBrowser, openMermaid, type Rendered, showSvg } from './open-browser.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

let browser: Browser
let render: Mermaid

beforeAll(async () => {
  browser = await openBrowser()
  render = await openMermaid(browser)
})
afterAll(() => browser?.close())

/** Nothing of it is wrong, and no label says that Mermaid could not read it. */
function expectDrawn(rendered: readonly Rendered[], texts: readonly string[]): void {
  for (const [index, { problem, labels, foreign, isPwned }] of rendered.entries()) {
    const text = texts[index] ?? ''
    expect(problem, text).toBe(undefined)
    expect({ foreign, isPwned }, text).toEqual({ foreign: [], isPwned: false })
    expect(
      labels.filter((label) => label.includes('Unsupported')),
      text,
    ).toEqual([])
  }
}

it('Mermaid draws every diagram of the documentation', async () => {
  const pages = ['README.md', ...readdirSync(new URL('docs', root)).map((file) => `docs/${file}`)].filter(
    (file) => file.endsWith('.md'),
  )
  const texts = pages.flatMap((file) =>
    [...read(file).matchAll(/^```mermaid\n(.*?)^```$/gms)].map(([, text = '']) => text),
  )
  expect(texts.length).toBeGreaterThan(
    readdirSync(new URL('runbooks', root)).filter((file) => !file.endsWith('.test.yaml')).length,
  )
  expectDrawn(await render(texts), texts)
})

it('Mermaid draws each shape of a runbook', async () => {
  const plans = shapes.flatMap((runCase) => loadCase(runCase).plan ?? [])
  const texts = plans.map((plan) => writeMermaid(drawGraph(plan)))
  const rendered = await render(texts)
  expectDrawn(rendered, texts)
  // Each node and each box with nodes inside has its text.
  for (const [index, text] of texts.entries())
    expect(rendered[index]?.labels.length, text).toBe(text.match(/^ +(subgraph )?n\d+[[({]/gm)?.length)
})

it('a hostile name is drawn as it is, and does nothing else', async () => {
  const texts = Object.values(hostileNames).map((name) => writeMermaid(drawGraph(planNamed(name))))
  const rendered = await render(texts)
  expectDrawn(rendered, texts)
  for (const [index, text] of texts.entries()) {
    const written = [...text.matchAll(/"([^"]*)"/g)].map(([, label = '']) =>
      plain(label.replaceAll('<br/>', '\n')),
    )
    expect(rendered[index]?.labels.map(oneSpace).toSorted()).toEqual(written.map(oneSpace).toSorted())
  }
})

/** The text that entities stand for. */
function plain(label: string): string {
  return label.replaceAll(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
}

function oneSpace(text: string): string {
  return text.replaceAll('\u200b', '').replaceAll(/\s+/g, ' ').trim()
}

describe.each(['light', 'dark'] as const)('an SVG in a %s theme', (colorScheme) => {
  it('has its colors, and no text leaves its box', async () => {
    const page = await browser.newPage({ colorScheme })
    const actions = createActions()
    const shipped = readdirSync(new URL('runbooks', root))
      .filter((file) => !file.endsWith('.test.yaml'))
      .map((file) => {
        const { plan } = loadRunbook(read(`runbooks/${file}`), actions, {
          readRunbook: (path) => read(`runbooks/${path}`),
        })
        return plan ?? expect.fail(`${file} is not valid`)
      })
    for (const plan of [...shipped, ...Object.values(hostileNames).map(planNamed)]) {
      const { fill, over, isPwned } = await showSvg(page, writeSvg(drawGraph(plan)))
      expect({ over, isPwned }, plan.title?.slice(0, 60)).toEqual({ over: [], isPwned: false })
      expect(fill).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(13, 17, 23)')
    }
    await page.close()
  })
})
