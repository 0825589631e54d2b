/**
 * The evaluator of expressions against `@marcbachmann/cel-js`, which runs its own parsed program on the same values:
 * a condition, and filters over 1,000 items. In turns, medians; limit: 1 times cel-js. Beside it the longest time that a
 * hostile expression takes before it is stopped, or the example of a function in two loops.
 *
 *     npx tsx bench/evaluate.ts
 */
import { parse } from '@marcbachmann/cel-js'
import { evaluate } from '../src/core/expressions/evaluate.ts'
import type { JsonObject } from '../src/core/json.ts'
import { parseExpression } from '../src/load/expressions/parse-expression.ts'
import { hostileExpressions, hostileScope, repeatedExamples } from '../test/core/hostile-expressions.ts'
import { verdict } from './verdict.ts'

const limit = 1
const rounds = 21
const hostileLimitMs = 100

const tools = Array.from({ length: 1000 }, (_, index) => ({
  name: `${index % 3 === 0 ? 'net' : 'os'}.tool_${index}`,
  error: index % 4 === 0 ? { code: 'timeout' } : null,
  seconds: index / 10,
}))
const scope: JsonObject = {
  inputs: { host: 'web-01', session_id: 'sess_1' },
  steps: { checks: { status: 'succeeded', outputs: { failed: 2, tools } } },
}

const cases = [
  {
    name: 'a condition',
    source: "steps.checks.outputs.failed > 0 && has(inputs.session_id) && inputs.host != 'web-02'",
    perRound: 20_000,
  },
  {
    name: 'a filter over 1,000 items',
    source: "steps.checks.outputs.tools.filter(t, t.name.startsWith('os.') && t.error == null)",
    perRound: 40,
  },
  {
    name: 'a filter and a map over 1,000 items',
    source: "steps.checks.outputs.tools.filter(t, t.seconds > 5.0).map(t, {'tool': t.name, 'params': {}})",
    perRound: 40,
  },
] as const

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Microseconds per call. */
function measure(call: () => unknown, count: number): number {
  const startedAt = performance.now()
  for (let made = 0; made < count; made++) call()
  return ((performance.now() - startedAt) / count) * 1000
}

function compare({ name, source, perRound }: (typeof cases)[number]): void {
  const parsed = parseExpression(source)
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  const expression = { source, tree: parsed.tree }
  const program = parse(source)
  const peers = [() => evaluate(expression, scope), () => program(scope)] as const
  if (JSON.stringify(peers[0]()) !== JSON.stringify(peers[1]())) throw new Error(`${name}: the values differ`)
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    // The order changes from round to round, so that neither side always goes first.
    for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      times[side].push(measure(peers[side], perRound))
    }
  }
  const [own, peer] = [median(times[0]), median(times[1])]
  const ratio = own / peer
  console.log(
    JSON.stringify({
      bench: name,
      ownMicroseconds: Number(own.toFixed(3)),
      celMicroseconds: Number(peer.toFixed(3)),
    }),
  )
  verdict(name, ratio, limit)
}

/** The expression that takes longest before it is stopped, in milliseconds; the best of three, for other work on the machine. */
function slowestHostile(): { readonly source: string; readonly milliseconds: number } {
  const taken = [...hostileExpressions, ...repeatedExamples].map((source) => {
    const parsed = parseExpression(source)
    if ('problem' in parsed) throw new Error(parsed.problem.message)
    const expression = { source, tree: parsed.tree }
    const times = [1, 2, 3].map(() => {
      const startedAt = performance.now()
      try {
        evaluate(expression, hostileScope)
      } catch {
        return performance.now() - startedAt
      }
      throw new Error(`it came to an end of its own: ${source}`)
    })
    return { source, milliseconds: Math.min(...times) }
  })
  return taken.reduce((most, one) => (one.milliseconds > most.milliseconds ? one : most))
}

for (const one of cases) compare(one)
const { source, milliseconds } = slowestHostile()
console.log(
  JSON.stringify({ bench: 'the slowest hostile expression', source, milliseconds: Math.round(milliseconds) }),
)
verdict(`the slowest hostile expression, of ${hostileLimitMs} ms`, milliseconds / hostileLimitMs, 1)
