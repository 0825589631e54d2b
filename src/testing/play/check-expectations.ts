import { type JsonPath, type JsonValue, valueAt } from '../../core/json.ts'
import { stepPathOf } from '../../core/plan/index.ts'
import { suggest } from '../../core/text/index.ts'
import { formatDuration, parseDuration } from '../../core/times/index.ts'
import { isNamedCall } from '../file/call-paths.ts'
import type { Expectations } from '../file/test-file.ts'
import type { PlayedRun } from '../host/play-run.ts'
import { differs, firstDifference, shown } from './match.ts'

/** An expectation that a run does not meet. */
export interface Unmet {
  /** From `expect` of the test. */
  readonly path: JsonPath
  readonly message: string
  /** The value at the path, where a value of the run can replace the expected one. */
  readonly actual?: JsonValue
}

type Check = (played: PlayedRun, expected: Expectations) => readonly Unmet[]

/** Everything that a run does not show as expected. */
export function checkExpectations(played: PlayedRun, expected: Expectations): readonly Unmet[] {
  return checks.flatMap((check) => check(played, expected))
}

const checkEnd: Check = ({ seen }, { status, error }) => {
  const why = seen.error ? ` (${seen.error.code}${at(seen.error.path)}: ${seen.error.message})` : ''
  if (status !== undefined && seen.status !== status) {
    const message = `status is ${seen.status}${why}, expected ${status}`
    return [{ path: ['status'], message, actual: seen.status }]
  }
  if (error === undefined) return []
  if (!seen.error) return [{ path: ['error'], message: `the run has no error; its status is ${seen.status}` }]
  const { code, path = '', message } = seen.error
  return [
    ...(error.code === undefined || error.code === code
      ? []
      : [
          {
            path: ['error', 'code'],
            message: `error.code is ${code}, expected ${error.code}: ${message}`,
            actual: code,
          },
        ]),
    ...(error.path === undefined || error.path === path || error.path === stepPathOf(path)
      ? []
      : [
          { path: ['error', 'path'], message: `error.path is ${path}, expected ${error.path}`, actual: path },
        ]),
    ...(error.message === undefined || message.includes(error.message)
      ? []
      : [
          {
            path: ['error', 'message'],
            message: `error.message is ${shown(message)}, expected to hold ${shown(error.message)}`,
            actual: message,
          },
        ]),
  ]
}

const checkOutputs: Check = ({ seen }, { outputs }) => {
  if (outputs === undefined) return []
  const found = firstDifference(seen.outputs ?? {}, outputs)
  return found
    ? [
        {
          path: ['outputs', ...found.path],
          message: `${nameOf('outputs', found.path)} ${found.message}`,
          ...actualAt(seen.outputs ?? {}, found.path),
        },
      ]
    : []
}

/** The calls in the order of their first attempts, each by the name that the test gives it. */
const checkCalls: Check = ({ host }, { calls }) => {
  if (calls === undefined) return []
  const named = host.calls.map(
    ({ path }) => calls.find((name) => name.includes('[') && isNamedCall(path, name)) ?? stepPathOf(path),
  )
  const made = [...new Set(named)]
  if (made.length === calls.length && made.every((name, index) => name === calls[index])) return []
  const message = `calls were [${made.join(', ')}], expected [${calls.join(', ')}]`
  return [{ path: ['calls'], message, actual: made }]
}

const checkNever: Check = ({ host }, { never = [] }) =>
  never.flatMap((name, index) => {
    const found = host.calls.find(({ path, action }) => action === name || isNamedCall(path, name))
    return found
      ? [{ path: ['never', index], message: `${found.path} was called: ${shown(found.input)}` }]
      : []
  })

const checkSent: Check = ({ host }, { sent = {} }) =>
  Object.entries(sent).flatMap(([name, input]) => {
    const calls = host.calls.filter(({ path }) => isNamedCall(path, name))
    if (calls.length === 0) {
      const made = [...new Set(host.calls.map(({ path }) => stepPathOf(path)))]
      const near = made.length === 0 ? 'no call was made' : suggest(name, made)
      return [{ path: ['sent', name], message: `${name} was not called; ${near}` }]
    }
    const differences = calls.map((call) => firstDifference(call.input, input))
    const [first] = differences
    if (!first || differences.includes(undefined)) return []
    const message = `${nameOf(name, first.path)} ${first.message}`
    const actual = calls.length === 1 && calls[0] ? actualAt(calls[0].input, first.path) : {}
    return [{ path: ['sent', name, ...first.path], message, ...actual }]
  })

const checkAttempts: Check = ({ host }, { attempts = {} }) =>
  Object.entries(attempts).flatMap(([name, count]) => {
    const made = host.calls.filter(({ path }) => isNamedCall(path, name)).length
    return made === count
      ? []
      : [
          {
            path: ['attempts', name],
            message: `${name} took ${made} attempts, expected ${count}`,
            actual: made,
          },
        ]
  })

const checkSteps: Check = ({ seen }, { steps = {} }) =>
  Object.entries(steps).flatMap(([name, status]) => {
    const own = seen.ends[name]
    // Without a position, the steps of all items.
    const ends =
      own === undefined
        ? Object.entries(seen.ends).filter(([path]) => stepPathOf(path) === name)
        : [[name, own] as const]
    const other = (ends.length === 0 ? [[name, 'never'] as const] : ends).find(([, end]) => end !== status)
    return other === undefined
      ? []
      : [
          {
            path: ['steps', name],
            message: `step ${other[0]} ended as ${other[1]}, expected ${status}`,
            actual: other[1],
          },
        ]
  })

const checkTook: Check = ({ tookMs }, { took }) => {
  if (took === undefined) return []
  const { least, most } = typeof took === 'string' ? { least: took, most: took } : took
  const isShort = least !== undefined && tookMs < (parseDuration(least) ?? 0)
  const isLong = most !== undefined && tookMs > (parseDuration(most) ?? 0)
  if (!isShort && !isLong) return []
  const wanted = typeof took === 'string' ? took : isShort ? `at least ${least}` : `at most ${most}`
  const message = `took ${formatDuration(tookMs)}, expected ${wanted}`
  return [
    { path: ['took'], message, ...(typeof took === 'string' ? { actual: formatDuration(tookMs) } : {}) },
  ]
}

const checkWarnings: Check = ({ seen }, { warnings }) => {
  if (warnings === undefined) return []
  const made = seen.warnings.map((line) => line.split(' ') as [string, string])
  const missing = Object.entries(warnings).filter(
    ([name, code]) => !made.some(([path, one]) => one === code && isNamedCall(path, name)),
  )
  const extra = made.filter(([path]) => !(path in warnings) && !(stepPathOf(path) in warnings))
  return [
    ...missing.map(([name, code]) => ({
      path: ['warnings', name],
      message: `no warning ${code} at ${name}`,
    })),
    ...extra.map(([path, code]) => ({
      path: ['warnings'],
      message: `warning ${code} at ${path} is not expected`,
    })),
  ]
}

const checkAsked: Check = ({ host }, { asked = {} }) =>
  Object.entries(asked).flatMap(([name, part]) => {
    const questions = host.events.flatMap((event) =>
      event.type === 'waiting' && isNamedCall(event.path, name) ? [event.message ?? ''] : [],
    )
    if (questions.some((question) => question.includes(part))) return []
    const was =
      questions.length === 0
        ? 'was not asked'
        : `asks ${shown(questions[0])}, expected to hold ${shown(part)}`
    const [only, ...more] = questions
    const actual = only === undefined || more.length > 0 ? {} : { actual: only }
    return [{ path: ['asked', name], message: `${name} ${was}`, ...actual }]
  })

const checkLog: Check = ({ host }, { log }) => {
  if (log === undefined) return []
  const lines = host.events.flatMap((event) => (event.type === 'logged' ? [event.message] : []))
  const isSame = lines.length === log.length && log.every((part, index) => lines[index]?.includes(part))
  return isSame ? [] : [{ path: ['log'], message: `the log ${differs(lines, [...log])}`, actual: lines }]
}

const checkFiles: Check = ({ journal }, { files = {} }) =>
  Object.entries(files).flatMap(([name, parts]) => {
    const content = journal.artifacts.get(name)
    if (content === undefined) {
      const written = [...journal.artifacts.keys()].join(', ') || 'none'
      return [{ path: ['files', name], message: `${name} was not written; files: ${written}` }]
    }
    const list = typeof parts === 'string' ? [parts] : parts
    const missing = list.find((part) => !content.includes(part))
    return missing === undefined
      ? []
      : [{ path: ['files', name], message: `${name} does not hold ${shown(missing)}: ${shown(content)}` }]
  })

const checks: readonly Check[] = [
  checkEnd,
  checkOutputs,
  checkCalls,
  checkNever,
  checkSent,
  checkAttempts,
  checkSteps,
  checkTook,
  checkWarnings,
  checkAsked,
  checkLog,
  checkFiles,
]

function actualAt(whole: JsonValue, path: readonly (string | number)[]): Pick<Unmet, 'actual'> {
  const actual = valueAt(whole, path) as JsonValue | undefined
  return actual === undefined ? {} : { actual }
}

function at(path: string | undefined): string {
  return path === undefined ? '' : ` at ${path}`
}

function nameOf(whole: string, path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${part}`),
    whole,
  )
}
