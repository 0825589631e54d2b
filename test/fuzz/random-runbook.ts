import { stringify } from 'yaml'
import type { CallRequest } from '../../src/core/host/host.ts'
import type { WorldAnswer } from '../../src/testing/index.ts'
import { answerTo } from '../conformance/script.ts'
import { createRandom, type Random } from './random.ts'

type Keys = Record<string, unknown>

/** A runbook of steps of all kinds inside one another, the same for the same seed. It lacks the first two lines. */
export function randomRunbook(seed: number): string {
  const random = createRandom(seed)
  let steps = 0

  const list = (depth: number, most: number): readonly Keys[] =>
    Array.from({ length: 1 + random.below(most) }, () => step(depth))
  const step = (depth: number): Keys => {
    const id = `s${++steps}`
    const kind = depth <= 0 ? 'uses' : random.pick(['uses', 'uses', 'block', 'parallel', 'choose'])
    const body =
      kind === 'uses'
        ? randomCall(random)
        : kind === 'parallel'
          ? {
              parallel: list(depth - 1, 3),
              ...maybe(random, 0.3, () => ({ 'max-parallel': random.pick([1, '${{ inputs.n }}']) })),
            }
          : kind === 'choose'
            ? { choose: branches(depth - 1) }
            : {
                steps: list(depth - 1, 3),
                ...maybe(random, 0.5, () => ({ finally: list(depth - 1, 2) })),
                ...maybe(random, 0.3, () => ({ repeat: randomTurns(random) })),
              }
    return {
      id,
      ...body,
      ...('repeat' in body && kind === 'block'
        ? {}
        : maybe(random, 0.2, () => ({ 'for-each': randomLoop(random) }))),
      ...maybe(random, 0.15, () => ({ 'continue-on-error': true })),
      ...maybe(random, depth < 0 ? 0 : 0.25, () => ({
        catch: [randomCatch(random, () => list(depth - 1, 2))],
      })),
      ...maybe(random, 0.1, () => ({ timeout: '1h' })),
    }
  }
  const branches = (depth: number): readonly Keys[] => [
    { when: random.pick(conditions), steps: list(depth, 2) },
    { when: random.pick(conditions), steps: [] },
    ...(random.next() < 0.6 ? [{ steps: list(depth, 2) }] : []),
  ]
  return stringify({
    inputs: { type: 'object', properties: { n: { type: 'integer', default: 2 } } },
    steps: list(2, 4),
    ...maybe(random, 0.5, () => ({ finally: list(1, 2) })),
  })
}

/** What an earlier step of the block came to decides, too. */
const conditions = [
  '${{ run.name == "a" }}',
  '${{ steps.exists(id, steps[id].status == "failed") }}',
  true,
  false,
]

const caught = [['all'], ['AccessDenied'], ['TooManyFailures', 'ConnectionLost'], ['NotReady']]

function randomCatch(random: Random, steps: () => readonly Keys[]): Keys {
  return {
    errors: random.pick(caught),
    steps: steps(),
    ...maybe(random, 0.2, () => ({ when: "${{ error.code != 'NoLicense' && error.status == 0 }}" })),
    ...maybe(random, 0.3, () => Object.fromEntries([['then', 'fail']])),
  }
}

function maybe(random: Random, share: number, keys: () => Keys): Keys {
  return random.next() < share ? keys() : {}
}

function randomCall(random: Random): Keys {
  const call = random.pick<Keys>([
    { uses: 'test/read' },
    { uses: 'test/read', sensitive: ['value'] },
    { uses: 'test/read', repeat: { until: '${{ outputs.value != null }}', 'max-wait': '12s' } },
    { uses: 'test/write' },
    { uses: 'test/create', with: { name: 'n' } },
    { uses: 'test/batch', with: { items: ['a', 'b', 'c', 'd'] }, tolerate: random.pick([0, 1, 'all']) },
    { uses: 'core/log', with: { message: 'x' } },
    { uses: 'core/wait', with: { for: '5s' } },
    {
      uses: 'core/listen',
      with: { hook: 'ci', timeout: '7s', 'on-timeout': random.pick(['fail', 'continue']) },
    },
    { uses: 'core/fail', with: { code: 'NotReady', message: 'x' }, if: '${{ size(run.id) == 0 }}' },
    { uses: 'core/fail', with: { code: 'NotReady', message: 'x' }, if: '${{ size(run.id) > 0 }}' },
    { uses: 'core/time' },
    { uses: 'core/listen', with: { callback: 'done', timeout: '6s', 'on-timeout': 'continue' } },
    { uses: 'core/http', connection: 'github', with: { path: '/a/${{ run.id }}' } },
    { uses: 'core/http', with: { method: 'POST', url: 'https://a.example', safety: 'create' } },
    { uses: 'core/log', with: { message: "${{ default(run.id.regexExtract('[xyz]+'), 'none') }}" } },
  ])
  const isSent = /^(test|core\/http)/.test(String(call['uses']))
  const when = maybe(random, 0.3, () => ({ when: "${{ error.code != 'AccessDenied' }}" }))
  const retry = { attempts: random.pick([2, '${{ inputs.n }}']), delay: '3s', ...when }
  return { ...call, ...(isSent ? maybe(random, 0.4, () => ({ retry })) : {}) }
}

/** Items at the same time fail in no order that could be told beforehand, so all of them may. */
function randomLoop(random: Random): Keys {
  const items = [1, 2, 3].slice(random.below(3))
  return random.next() < 0.4
    ? { items, 'max-parallel': 2, tolerate: 'all' }
    : { items, tolerate: random.pick([0, 1, 'all']) }
}

/** Some have too few turns. */
function randomTurns(random: Random): Keys {
  return {
    with: { n: 0 },
    next: { n: '${{ turn.n + 1 }}' },
    until: `\${{ next.n == ${1 + random.below(3)} }}`,
    'at-most': 2 + random.below(2),
    collect: '${{ turn.n }}',
    ...maybe(random, 0.3, () => ({ interval: random.pick(['4s', '${{ inputs.n }}s']) })),
  }
}

const codes = ['AccessDenied', 'ConnectionLost', 'ConnectionRefused', 'RequestTooFrequently', 'SomethingNew']

/** What the world answers to an attempt: the same for the same seed, path and attempt. */
export function randomAnswer(seed: number, share: number, request: CallRequest): WorldAnswer {
  const { path, attempt, action } = request
  const random = createRandom(hash(`${seed} ${path}#${attempt}`))
  if (random.next() < share) return answerTo({ answers: { [path]: { error: random.pick(codes) } } }, request)
  const failing = random.next() < 0.3 ? { b: random.pick(['overloaded', 'denied']) } : {}
  const output = action === 'test/read' && random.next() < 0.6 ? { output: { value: 1 } } : {}
  return answerTo({ answers: { [path]: { failing, ...output } } }, request)
}

function hash(text: string): number {
  let value = 2166136261
  for (const letter of text) value = Math.imul(value ^ letter.charCodeAt(0), 16777619)
  return value >>> 0
}
