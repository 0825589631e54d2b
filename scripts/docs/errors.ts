import {
  type ErrorCode,
  type ErrorRule,
  errorRules,
  isOwnErrorCode,
  isToolErrorCode,
  type KnownErrorCode,
} from '../../src/core/errors.ts'
import { defaultRetry, mayRepeat } from '../../src/core/retry.ts'
import type { Page } from './fill-page.ts'
import { code, table } from './table.ts'

const entries = Object.entries(errorRules) as readonly (readonly [KnownErrorCode, ErrorRule])[]
const own = entries.filter(([name]) => isOwnErrorCode(name))
const tool = entries.filter(([name]) => isToolErrorCode(name))
const service = entries.filter(([name]) => !isOwnErrorCode(name) && !isToolErrorCode(name))

/** docs/errors.md: one section for each code, from the table of errors. */
export const errorsPage: Page = {
  file: 'docs/errors.md',
  parts: {
    overview: () =>
      table(
        ['Code', 'What happened', 'Repeated', 'Nothing was done'],
        [...own, ...service, ...tool].map(row),
      ),
    own: () => sections(own),
    service: () => sections(service),
    tool: () => sections(tool),
  },
}

type Entry = (typeof entries)[number]

function row([name, { explanation, provesNotExecuted }]: Entry): readonly string[] {
  const repeated = name === 'RequestTooFrequently' ? 'waited out' : isRepeated(name) ? 'yes' : ''
  return [
    `[${code(name)}](#${name.toLowerCase()})`,
    explanation,
    repeated,
    provesNotExecuted ? 'certain' : '',
  ]
}

/** Whether a step repeats a call that changes nothing, with a policy that names no codes or these. */
function isRepeated(name: ErrorCode, errors?: readonly ErrorCode[]): boolean {
  const policy = errors === undefined ? defaultRetry : { ...defaultRetry, errors }
  return mayRepeat({ code: name, message: '' }, policy, 'read')
}

function sections(codes: typeof entries): string {
  return codes.map(section).join('\n\n')
}

function section([name, { explanation, next, provesNotExecuted }]: Entry): string {
  const proof = provesNotExecuted
    ? 'what was asked for has certainly not been done.'
    : 'it does not say whether what was asked for has been done.'
  return [`### ${name}`, explanation, `**What to do.** ${next}`, `${repeats(name)}; ${proof}`].join('\n\n')
}

function repeats(name: ErrorCode): string {
  if (name === 'RequestTooFrequently') return 'It is waited out, for as long as `throttle.max-wait` allows'
  if (isRepeated(name)) return 'A step with `retry` repeats it unless it says otherwise'
  return isRepeated(name, [name])
    ? 'A step repeats it only where `retry.errors` names it'
    : 'It is never repeated'
}
