import { describe, expect, it } from 'vitest'
import { createMask } from '../../src/core/mask/index.ts'
import { drawGraph, maskGraph, placesOfSteps, writeMermaid, writeSvg } from '../../src/view/graph/index.ts'
import { hostileNames } from './hostile-names.ts'
import { mermaidLine } from './mermaid-line.ts'
import { planNamed } from './plan-of-names.ts'

/** All that stands between two texts of the SVG. */
const tag = /<[^<>]*>/g
const names = new Set(['svg', 'title', 'desc', 'style', 'g', 'rect', 'text', 'path', 'circle'])

describe.each(Object.entries(hostileNames))('%s', (_, name) => {
  const graph = drawGraph(planNamed(name))

  it('is nothing but a label in Mermaid', () => {
    const text = writeMermaid(graph)
    expect(text.split('\n').filter((one) => !mermaidLine.test(one))).toEqual([])
    expect(text.length).toBeLessThan(3000)
    expect(text).not.toMatch(/<(?!br\/>)|javascript:alert\(1\)"|%%|`|\$\$/)
  })

  it('is nothing but text in SVG', () => {
    const text = writeSvg(graph)
    for (const [found] of text.matchAll(tag)) {
      const [, element = ''] = /^<\/?(\w+)/.exec(found) ?? []
      expect(names, found).toContain(element)
      expect(found).not.toMatch(/ on\w+=|href|javascript/i)
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has none of them
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e]|\p{Cs}/u)
    expect(text.length).toBeLessThan(20_000)
  })
})

it('says where each step stands in the SVG, inner steps before those around them', () => {
  const graph = drawGraph(planNamed('Look'))
  const drawn = [
    ...writeSvg(graph).matchAll(
      /<rect class="[^"]*" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" rx="(?:7|10)"/g,
    ),
  ].map(([, ...numbers]) => {
    const [x = 0, y = 0, width = 0, height = 0] = numbers.map(Number)
    return [x, y, x + width, y + height].map(Math.round).join()
  })
  const places = placesOfSteps(graph)
  expect(places.length).toBeGreaterThan(1)
  for (const { path, rect } of places) expect(drawn, path).toContain(rect.join())
  const paths = places.map(({ path }) => path)
  for (const [at, path] of paths.entries())
    expect(paths.slice(0, at).filter((earlier) => path.startsWith(`${earlier}/`))).toEqual([])
})

it('hides a secret before it cuts a text', () => {
  const secret = 'hunter2-hunter2-hunter2'
  const graph = maskGraph(drawGraph(planNamed(`${'x'.repeat(38)}${secret}`)), createMask([secret]))
  for (const text of [writeSvg(graph), writeMermaid(graph), JSON.stringify(graph)])
    expect(text).not.toContain('hunter')
})

it('writes an SVG that is read aloud by its title and loads nothing', () => {
  const svg = writeSvg(drawGraph(planNamed('Look')))
  expect(svg).toMatch(/^<svg xmlns="[^"]*" class="opsbook-graph" role="img" aria-label="Runbook hostile"/)
  expect(svg).toContain('<title>Runbook hostile</title>')
  expect(svg).toContain('prefers-color-scheme: dark')
  expect(svg).not.toMatch(/url\(|@import|<script|<image|xlink/)
})
