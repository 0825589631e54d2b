/** `opsbook test record`: the calls of a run, for the scripts of tests. */

import { lstat, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { secretNames } from '../../core/plan/index.ts'
import type { RunRecord } from '../../core/record/index.ts'
import { nearest } from '../../core/text/index.ts'
import type { Engine } from '../../engine/index.ts'
import { lookUpActions } from '../../project/actions/index.ts'
import type { Configuration } from '../../project/configuration/index.ts'
import { createSecretStore } from '../../project/connections/index.ts'
import { readLocation, withEngine } from '../../project/engine/index.ts'
import { makeFolder } from '../../project/files/index.ts'
import { CommandError, type EngineFlags } from '../../project/index.ts'
import { findRun, learnSecrets } from '../../project/records/index.ts'
import { printable } from '../../project/text/index.ts'
import { type MadeRecording, makeRecording, recordingFile, recordingName } from '../../testing/index.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import type { WithActionsFlags } from '../shared/options.ts'
import type { TestFormat } from './reports.ts'

/** The flags of `test record`, as the parser hands them over. */
export interface RecordOptions extends EngineFlags, WithActionsFlags {
  readonly as: string
  readonly folder: string
  /** Names of fields. */
  readonly rename?: readonly string[]
  /** Writes over a recording of this name. */
  readonly replace?: boolean
  /** The format of `opsbook test`, which has more of them. */
  readonly output: TestFormat
}

/**
 * Writes the calls of a run to `recordings/NAME.json`. Writes nothing if there is such a file, unless it is to be
 * replaced, or if the file would hold a value that is to be hidden.
 */
export async function recordTest(
  context: CommandContext,
  given: string,
  options: RecordOptions,
): Promise<void> {
  const { as: name, folder, rename: renames = [], withActions = false, output } = options
  if (output !== 'text' && output !== 'json')
    throw new CommandError('usage', `test record prints text or json, and no ${output}`)
  if (!recordingName.test(name)) {
    throw new CommandError('usage', `"${printable(name)}" cannot be the name of a recording`, {
      hints: ['use up to 64 letters, digits, hyphens and underscores, such as --as disk-full'],
    })
  }
  const path = resolve(context.io.workingDirectory, folder, recordingFile(name))
  const shown = printable(relative(context.io.workingDirectory, path))
  if (!options.replace && (await lstat(path).catch(() => undefined))) {
    throw new CommandError('usage', `there is a recording ${shown} already`, {
      hints: ['write over it with --replace, or name another one with --as'],
    })
  }
  const { configuration } = await readLocation(options, context.io, ['connections', 'secrets'])
  return withEngine(context, options, async (engine) => {
    const run = await findRun(given, engine)
    const hidden = await hiddenValues(context, run, engine, configuration)
    const { actions } = await lookUpActions(context.io, withActions)
    const attempts = await engine.readAttempts(run.run_id)
    const made = await makeRecording({ run, attempts, actions, hidden, renames })
    refuseUnsafe(made, run)
    await write(path, made.text)
    const { calls } = made.recording
    if (output === 'json')
      return answerJson(context, {
        recording: shown,
        run_id: run.run_id,
        calls: calls.length,
        scripts: Object.fromEntries(actionsOf(made).map((action) => [action, { recording: name }])),
      })
    answer(context, [
      `${shown}: ${calls.length} ${calls.length === 1 ? 'call' : 'calls'} of ${run.run_id}`,
      ...scriptLines(made, name),
    ])
  })
}

/** Everything that the run, its actions and the configuration mark as sensitive. */
async function hiddenValues(
  context: CommandContext,
  run: RunRecord,
  engine: Engine,
  configuration: Configuration,
): Promise<readonly string[]> {
  const hidden = new Set<string>()
  const hide = (value: string): void => void hidden.add(value)
  await learnSecrets(run, engine, { hide })
  const store = createSecretStore(configuration, context.io, hide)
  await store.others?.()
  for (const name of secretNames(run.plan)) {
    const isKnown = await store.resolve(name).then(
      () => true,
      () => false,
    )
    if (!isKnown) {
      const place = `the secret "${name}" cannot be read here`
      tell(context, `${place}: the recording relies on the journal, which holds *** in its place`)
    }
  }
  return [...hidden]
}

function refuseUnsafe({ leaks, unknownFields, recording }: MadeRecording, { inputs }: RunRecord): void {
  const [field] = unknownFields
  if (field !== undefined) {
    const near = nearest(field, Object.keys(inputs))
    throw new CommandError('usage', `no input or output of the run has a field "${printable(field)}"`, {
      hints: near === undefined ? [] : [`did you mean --rename ${near}?`],
    })
  }
  if (leaks.length > 0) {
    const more = leaks.length > 3 ? ` and ${leaks.length - 3} more places` : ''
    throw new CommandError(
      'failed',
      `nothing was written: a value that was to be removed is still in ${leaks.slice(0, 3).join(', ')}${more}`,
      { hints: ['record another run, or write these calls by hand'] },
    )
  }
  if (recording.calls.length === 0)
    throw new CommandError('usage', 'the run has made no call that could be recorded')
}

/** In one step: a reader never sees half a file. */
async function write(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path))
  const draft = join(dirname(path), `.${process.pid}.draft`)
  await writeFile(draft, text)
  await rename(draft, path)
}

/** How a test file uses the recording. */
function scriptLines(made: MadeRecording, name: string): readonly string[] {
  return ['calls:', ...actionsOf(made).map((action) => `  ${action}: { recording: ${name} }`)]
}

/** The actions whose calls a script can answer. */
function actionsOf({ recording: { calls } }: MadeRecording): readonly string[] {
  return [...new Set(calls.map(({ action }) => action).filter((action) => action !== 'core/write'))]
}
