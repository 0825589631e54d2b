import { expect, test } from 'vitest'
import { drawFrame } from '../../src/cli/run/follow/frame.ts'
import { chooseSymbols } from '../../src/cli/shared/terminal/symbols.ts'
import { plainPaint } from '../../src/project/index.ts'
import { createRunTree } from '../../src/view/run/index.ts'
import { askingRun, timed } from './events/recorded.ts'

test('the frame above a question turns nothing, evaluations nothing and does not repeat the question', () => {
  const state = createRunTree()
  const events = timed(askingRun)
  const asked = events.findIndex((event) => event.type === 'waiting' && event.reason === 'approval')
  for (const event of events.slice(0, asked + 1)) state.take(event)
  const now = state.lastAt ?? 0
  const look = { now, tick: 0, columns: 80, rows: 24, note: 'Ctrl-C stops', clean: (text: string) => text }
  const draw = (isStill: boolean): string =>
    drawFrame(state, {
      ...look,
      paint: plainPaint,
      symbols: chooseSymbols({}),
      items: state.items,
      isStill,
    }).join('\n')
  expect(draw(false)).toMatch(/⠋.*Ctrl-C stops/)
  expect(draw(false)).toContain('Publish the application')
  expect(draw(true)).not.toMatch(/⠋|Ctrl-C|Publish the application/)
  expect(draw(true)).toContain('awaiting approval')
})
