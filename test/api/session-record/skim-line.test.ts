import { expect, it } from 'vitest'
import { createLineSkimmer } from '../../../src/api/session-record/skim-line.ts'

const seven = { kind: 'tool_call', seq: 7 }
/** Each line, and what can be read off its beginning; each is also tried behind every other one. */
const lines: readonly (readonly [string, typeof seven | undefined])[] = [
  ['{"type":"tool_call","seq":7,"x":1}', seven],
  ['{"type":"tool_call","seq":7}', seven],
  ['{"type":"tool_call","seq":12345,"x":1}', { kind: 'tool_call', seq: 12_345 }],
  ['{"type":"llm_call","seq":7,"x":1}', { kind: 'llm_call', seq: 7 }],
  ['{"type":"made_up","seq":7,"x":1}', { kind: 'made_up', seq: 7 }],
  ['{"seq":7,"type":"tool_call","x":1}', seven],
  ['{"seq":8,"type":"tool_call","x":1}', { kind: 'tool_call', seq: 8 }],
  ['{"ts":"2026-03-01","type":"tool_call","seq":7}', seven],
  ['{"type": "tool_call", "seq": 7, "x": 1}', seven],
  ['{"type":"tool_call","seq":7.5,"x":1}', undefined],
  ['{"type":"tool_call","seq":-7,"x":1}', undefined],
  ['{"type":"tool_call","seq":07,"x":1}', undefined],
  ['{"type":"tool_call","seq":"7","x":1}', undefined],
  ['{"type":"tool_call","seq":1234567890123456,"x":1}', undefined],
  ['{"type":"tool_call","seq":', undefined],
  ['{"type":"tool_call","se', undefined],
  ['{"type":"tool\\u005fcall","seq":7,"x":1}', undefined],
  ['{"input":{"type":"tool_call","seq":7}}', undefined],
  ['{"x":1}', undefined],
  ['7', undefined],
]

it.each(lines)('reads the beginning of %s', (line, expected) => {
  for (const [before] of [['\n'], ...lines]) {
    const skim = createLineSkimmer()
    // What follows a line in memory is none of its business.
    const text = `${before}\n${line}\n7,"seq":9,"type":"error"}\n`
    const bytes = Buffer.from(text)
    const start = before.length + 1
    skim(bytes, 0, before.length)
    expect(skim(bytes, start, start + line.length)).toEqual(expected)
    expect(skim(bytes, start, start + line.length), 'the same line again').toEqual(expected)
  }
})
