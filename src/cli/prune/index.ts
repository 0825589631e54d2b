/** `opsbook prune`: removes old runs. */
import { parseDuration } from '../../core/duration.ts'
import { suggest } from '../../core/nearest.ts'
import { type PrunableStatus, pruneRuns } from '../../engine/embedded/prune-runs.ts'
import { CommandError } from '../command-error.ts'
import type { PruneFlags } from '../commands/prune.ts'
import { chooseDataDir } from '../configuration/data-dir.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { chooseEngine } from '../engine/choose-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { recordedName } from '../runbook-files/recorded-name.ts'
import { pruneLines } from './prune-lines.ts'

/** Removes the runs that the flags name, and says what is gone. */
export async function prune(context: CommandContext, flags: PruneFlags): Promise<ExitCode> {
  const endedBeforeMs = Date.now() - readAge(flags.olderThan)
  const status = flags.status?.flatMap((list) => list.split(',')).map((name) => readStatus(name.trim()))
  const isDryRun = flags.dryRun === true
  const configuration = await readConfiguration(context.io)
  const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
  if (chooseEngine(flags.engine, configuration, context.io) === 'temporal') {
    const { pruneOnTemporal } = await import('./prune-on-temporal.ts')
    const writtenBeforeMs = endedBeforeMs
    await pruneOnTemporal(context, flags, { configuration, dataDir, writtenBeforeMs, isDryRun })
    return exitCodes.succeeded
  }
  const report = await pruneRuns({
    dataDir,
    endedBeforeMs,
    isDryRun,
    ...(status === undefined ? {} : { status }),
    ...(flags.runbook === undefined ? {} : { runbook: await recordedName(flags.runbook, context.io) }),
  })
  const facts = { is_dry_run: isDryRun, ended_before: new Date(endedBeforeMs).toISOString() }
  if (flags.output === 'json') answerJson(context, { ...facts, ...report })
  else answer(context, pruneLines(report, { endedBeforeMs, isDryRun }, context.paint))
  return exitCodes.succeeded
}

function readAge(given: string): number {
  const ageMs = parseDuration(given)
  if (ageMs !== undefined) return ageMs
  throw new CommandError(exitCodes.usage, `--older-than takes a duration such as 12h or 30d, not "${given}"`)
}

const prunable: readonly PrunableStatus[] = ['succeeded', 'failed', 'cancelled', 'unknown', 'interrupted']
const goingOn: readonly string[] = ['running', 'waiting', 'paused']

function readStatus(given: string): PrunableStatus {
  const status = prunable.find((name) => name === given)
  if (status) return status
  const problem = goingOn.includes(given)
    ? `a run that is ${given} goes on, and is never removed`
    : `there is no status "${given}"`
  const hint = goingOn.includes(given) ? '"opsbook cancel" ends it' : suggest(given, prunable)
  throw new CommandError(exitCodes.usage, problem, { hints: [hint] })
}
