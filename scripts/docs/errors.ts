import { defaultRetry, mayRepeat } from '../../src/core/calls/index.ts'
import {
  type ErrorCode,
  type ErrorRule,
  errorRules,
  isOwnErrorCode,
  isToolErrorCode,
  type KnownErrorCode,
} from '../../src/core/errors.ts'
import { commandErrors } from '../../src/project/command-error.ts'
import type { Page } from './fill-page.ts'
import { code, table } from './table.ts'
import { list, wrap } from './wrap.ts'

const entries = Object.entries(errorRules) as readonly (readonly [KnownErrorCode, ErrorRule])[]
const own = entries.filter(([name]) => isOwnErrorCode(name))
const tool = entries.filter(([name]) => isToolErrorCode(name))
const service = entries.filter(([name]) => !isOwnErrorCode(name) && !isToolErrorCode(name))

/** docs/errors.md: one section for each code, from the table of errors. */
export const errorsPage: Page = {
  file: 'docs/errors.md',
  parts: {
    overview: () =>
      list([
        `**[Opsbook's own](#opsbooks-own)**: ${links(own)}.`,
        `**[The service's](#the-services)**: ${links(service)}.`,
        `**[Of diagnostic tools](#of-diagnostic-tools)**: ${links(tool)}.`,
      ]),
    own: () => sections(own),
    service: () => sections(service),
    tool: () => sections(tool),
    command: () =>
      table(
        ['Code', 'Meaning'],
        Object.entries(commandErrors).map(([name, text]) => [code(name), text]),
      ),
  },
}

type Entry = (typeof entries)[number]

function links(codes: typeof entries): string {
  return codes.map(([name]) => `[${code(name)}](#${name.toLowerCase()})`).join(', ')
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
  const proof = provesNotExecuted ? 'Certainly failed.' : 'Perhaps executed.'
  const paragraphs = [explanation, `**What to do.** ${next}`, `${repeats(name)} ${proof}`]
  return [`### ${name}`, ...paragraphs.map((text) => wrap(text))].join('\n\n')
}

function repeats(name: ErrorCode): string {
  if (name === 'RequestTooFrequently') return 'Waited out for up to `throttle.max-wait`.'
  if (isRepeated(name)) return 'Repeated by default.'
  return isRepeated(name, [name]) ? 'Repeated if `retry.errors` lists it.' : 'Never repeated.'
}
