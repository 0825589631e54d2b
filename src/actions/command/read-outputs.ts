import { isDeeper, mostLevels, parseJson } from '../../api/validation/index.ts'
import type { JsonValue } from '../../core/json.ts'
import { RunbookError } from '../../core/run-error.ts'
import { exactSize } from '../../core/text/index.ts'
import type { ActionAnswer } from '../action.ts'
import { type Collected, mostJsonOutput, mostKeptOutput } from './collect.ts'
import type { CommandRequest } from './request.ts'

/** A command that has ended. */
export interface Ended {
  readonly code: number
  /** Its beginning. */
  readonly stdout: Collected
  /** Its end, for a failure: many programs write there what is wrong. To search it for secrets takes time. */
  lastOfStdout(): Collected
  /** Its end. */
  readonly stderr: Collected
}

/** The outputs, or the error that the exit code is. */
export function readOutputs(ended: Ended, { ok = [0], output = 'text' }: CommandRequest): ActionAnswer {
  const { code, stdout, stderr } = ended
  if (!ok.includes(code)) throw failed(ended)
  const warnings = [
    ...(stdout.isWhole || output === 'json'
      ? []
      : [cutWarning('stdout', output === 'lines' ? 'the whole lines of its first' : 'its first', stdout)]),
    ...(stderr.isWhole ? [] : [cutWarning('stderr', 'its last', stderr)]),
  ]
  const value = readStdout(ended, output, warnings)
  return { output: { code, stdout: value, stderr: withoutLineEnd(stderr.text) }, warnings }
}

function readStdout(ended: Ended, output: 'text' | 'lines' | 'json', warnings: string[]): JsonValue {
  if (output === 'json') return readJson(ended, warnings)
  const { text: written, isWhole } = ended.stdout
  // A part of a line looks like a line that the command never wrote, such as another path.
  const lines = isWhole || output === 'text' ? written : written.slice(0, written.lastIndexOf('\n') + 1)
  const text = withoutLineEnd(lines)
  if (output === 'text') return text
  return text === '' ? [] : text.split(/\r?\n/)
}

/** As a shell does it with `$(…)`. */
function withoutLineEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '')
}

function cutWarning(name: string, part: string, { bytes }: Collected): string {
  return `${name} is ${bytes} bytes; ${part} ${exactSize(mostKeptOutput)} are kept, and save-as writes all of stdout to a file`
}

function readJson({ code, stdout }: Ended, warnings: string[]): JsonValue {
  const details = { status: code }
  const unusable = (what: string): RunbookError =>
    new RunbookError('InvalidAnswer', `the command has run, and ${what}`, { details })
  if (!stdout.isWhole) {
    const message = `stdout is ${stdout.bytes} bytes, and JSON is read up to ${exactSize(mostJsonOutput)}; write it to a file with save-as`
    throw new RunbookError('OutputTooLarge', message, { details })
  }
  if (!stdout.isUtf8) throw unusable('its JSON is not UTF-8')
  if (isDeeper(Buffer.from(stdout.text)))
    throw unusable(`its JSON is nested deeper than ${mostLevels} levels`)
  try {
    const { value, bigNumbers } = parseJson(stdout.text)
    warnings.push(
      ...bigNumbers.slice(0, 20).map((path) => `in stdout, ${path} is beyond 2^53 - 1 and is given as text`),
    )
    return value
  } catch {
    throw unusable('its stdout is not JSON')
  }
}

function failed({ code, stderr, lastOfStdout }: Ended): RunbookError {
  const [said, written] = [withoutLineEnd(stderr.text), withoutLineEnd(lastOfStdout().text)]
  const [last = ''] = (said.trim() === '' ? written : said).split(/\r?\n/).slice(-1)
  const message = `exit code ${code}${last.trim() === '' ? '' : `: ${last.trim().slice(0, 300)}`}`
  const details = {
    status: code,
    ...(said === '' ? {} : { stderr: said }),
    ...(written === '' ? {} : { stdout: written }),
  }
  return new RunbookError('CommandFailed', message, { details })
}
