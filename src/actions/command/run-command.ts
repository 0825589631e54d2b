import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { type ActionDescription, safetyOf } from '../../core/action.ts'
import type { JsonObject } from '../../core/json.ts'
import { errorData, RunbookError } from '../../core/run-error.ts'
import { formatDuration } from '../../core/times/index.ts'
import type { ActionAnswer, ActionContext } from '../action.ts'
import { createDeadline, type Deadline } from '../deadline.ts'
import { type OutputFile, openOutputFile } from '../output-file.ts'
import type { WrittenArtifact } from '../write.ts'
import { createCollector, mostJsonOutput } from './collect.ts'
import { openShell, type Shell } from './open-shell.ts'
import { type Ended, readOutputs } from './read-outputs.ts'
import { createLineReporter } from './report-lines.ts'
import { asCommand, type CommandRequest, splitTarget } from './request.ts'
import { shellProgram } from './shell-program.ts'

/** Runs one command, and makes outputs of what it writes. The error it rejects with says whether the command has begun. */
export async function runCommand(
  action: ActionDescription,
  input: JsonObject,
  context: ActionContext,
): Promise<ActionAnswer> {
  const request = asCommand(input)
  const isCreate = safetyOf(action, input) === 'create'
  const { artifacts, saveAs, mask, beforeSending } = context
  const deadline = createDeadline(context.timeoutMs ?? action.defaultTimeoutMs, context.signalBeforeSending)
  const file = saveAs === undefined ? undefined : await openOutputFile(artifacts, saveAs, mask)
  let shell: Shell | undefined
  try {
    shell = await openShell(request.on, deadline.signal).catch((thrown: unknown) => {
      throw deadline.reason === undefined ? thrown : stoppedBefore(deadline, request)
    })
    if (isCreate) await beforeSending()
    if (deadline.reason !== undefined) throw stoppedBefore(deadline, request)
    const ended = await finish(shell, request, deadline, context, file)
    const answer = readOutputs(ended, request)
    return ended.file === undefined ? answer : { ...answer, output: { ...ended.file } }
  } finally {
    deadline.release()
    shell?.close()
    await file?.discard()
  }
}

/** Sends the program, and waits for the end of the command, or of all its processes where it is stopped. */
async function finish(
  shell: Shell,
  request: CommandRequest,
  deadline: Deadline,
  { mask, artifacts, log }: ActionContext,
  file: OutputFile | undefined,
): Promise<Ended & { readonly file: WrittenArtifact | undefined }> {
  const stop = (): void => shell.stop()
  deadline.signal.addEventListener('abort', stop, { once: true })
  shell.run(shellProgram(request, shell.marks, resolve(artifacts.folder)))
  const stdout = createCollector('first', request.output === 'json' ? mostJsonOutput : undefined)
  const [lastOfStdout, stderr] = [createCollector('last'), createCollector('last')]
  const reporter = createLineReporter({ log, mask })
  const [reportStdout, reportStderr] = [reporter.stream(), reporter.stream()]
  const read = async (stream: Readable, add: (chunk: Buffer) => void): Promise<void> => {
    for await (const chunk of stream) add(chunk)
  }
  const [written] = await Promise.all([
    file === undefined
      ? read(shell.stdout, (chunk) => {
          stdout.add(chunk)
          lastOfStdout.add(chunk)
          // JSON is an answer, and no report of what is done.
          if (request.output !== 'json') reportStdout(chunk)
        })
      : save(file, shell, deadline, lastOfStdout.add),
    read(shell.stderr, (chunk) => {
      stderr.add(chunk)
      reportStderr(chunk)
    }),
  ]).finally(reporter.end)
  const code = shell.code()
  if (deadline.reason !== undefined) throw stopped(deadline, request)
  if (code === undefined) throw lost(request, stderr.read(mask).text)
  if (written && 'failure' in written) throw notSaved(written.failure, code)
  return {
    code,
    stdout: stdout.read(mask),
    lastOfStdout: () => lastOfStdout.read(mask),
    stderr: stderr.read(mask),
    file: written || undefined,
  }
}

/** A file that cannot be written ends the command: what it writes would be lost. */
async function save(
  file: OutputFile,
  shell: Shell,
  deadline: Deadline,
  onChunk: (chunk: Buffer) => void,
): Promise<WrittenArtifact | { readonly failure: unknown }> {
  async function* whole(): AsyncGenerator<Uint8Array> {
    for await (const chunk of shell.stdout) {
      onChunk(chunk)
      yield chunk
    }
    // A file with half an output must not look like a whole one.
    if (!shell.isStdoutWhole() || deadline.reason !== undefined) throw new Error('the output is not whole')
  }
  try {
    return await file.write(whole())
  } catch (failure) {
    shell.stop()
    shell.stdout.resume()
    return { failure }
  }
}

function stoppedBefore({ reason, allowedMs }: Deadline, { on }: CommandRequest): RunbookError {
  if (reason === 'cancelled')
    return new RunbookError('Cancelled', 'cancelled before the command began', { notSent: true })
  const where = on === undefined ? 'this machine' : splitTarget(on.ssh).host
  const message = `no shell answered on ${where} within ${formatDuration(allowedMs)}; nothing was run`
  return new RunbookError('ConnectTimeout', message, { notSent: true })
}

function stopped({ reason, allowedMs }: Deadline, request: CommandRequest): RunbookError {
  if (reason === 'cancelled')
    return new RunbookError('Cancelled', `${nameOf(request)} was cancelled, and its processes were ended`)
  const message = `${nameOf(request)} did not end within ${formatDuration(allowedMs)}, and its processes were ended`
  return new RunbookError('AttemptTimeout', message)
}

function lost(request: CommandRequest, stderr: string): RunbookError {
  const { on } = request
  const [last = ''] = stderr.trimEnd().split('\n').slice(-1)
  const what =
    on === undefined
      ? `the shell of ${nameOf(request)} was ended by another process`
      : `the connection to ${splitTarget(on.ssh).host} was lost while ${nameOf(request)} ran`
  return new RunbookError('ConnectionLost', last.trim() === '' ? what : `${what}: ${last.trim()}`)
}

function notSaved(failure: unknown, code: number): RunbookError {
  const { code: error, message } = errorData(failure)
  const details = { status: code }
  return error === 'FileNotWritten'
    ? new RunbookError(
        'OutcomeUnknown',
        `the command has run, and its output could not be written: ${message}`,
        { details },
      )
    : new RunbookError(error, message, { details })
}

/** The program, or the script, for people. */
function nameOf({ command, script }: CommandRequest): string {
  return script === undefined ? String(command?.[0] ?? 'the command') : 'the script'
}
