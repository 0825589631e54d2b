import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Random } from '../../fuzz/random.ts'
import type { Stop } from '../account.ts'
import { checkFiles } from '../check-files.ts'
import { checkRecord } from '../check-record.ts'
import { compare } from '../compare.ts'
import { fileProblems, hasEnded, type Journal, readJournal } from '../journal.ts'
import { type Blow, type Ended, runOpsbook } from '../opsbook-process.ts'
import type { SandboxProcess } from '../sandbox-process.ts'
import { createScenario, type Scenario } from '../scenario.ts'
import { settledRequests } from '../stage.ts'
import type { RoundResult } from './round-result.ts'

const runbook = fileURLToPath(new URL('../runbooks/everything.yaml', import.meta.url))

/** A run of everything, its processes ended at bad moments, and then the record of the sandbox against the journal. */
export async function playKills(sandbox: SandboxProcess, random: Random, tag: string): Promise<RoundResult> {
  const scenario = createScenario(random, tag)
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-torture-'))
  await sandbox.reset(scenario.faults)
  const { ended, stops, story, complaints } = await torment(scenario, sandbox, dataDir)
  const journal = readJournal(dataDir)
  if (journal)
    complaints.push(...(await judge(journal, stops, sandbox)), ...checkEnd(ended, journal.run.status))
  if (journal && scenario.isAskedAgain) complaints.push(...(await askAgain(journal, sandbox, dataDir)))
  if (complaints.length === 0) rmSync(dataDir, { recursive: true })
  else story.push(`kept in ${dataDir}`)
  const faults = scenario.faults.map((fault) => `fault ${JSON.stringify(fault)}`)
  const status = journal?.run.status ?? 'nothing'
  return { story: [...faults, ...story], statuses: [status], complaints, struck: stops.length }
}

/** What became of the processes of one run. */
interface Torment {
  readonly ended: Ended | undefined
  readonly stops: readonly Stop[]
  readonly story: string[]
  readonly complaints: string[]
}

/** Starts and resumes the run, blow after blow, until it has ended. */
async function torment(scenario: Scenario, sandbox: SandboxProcess, dataDir: string): Promise<Torment> {
  const story: string[] = []
  const complaints: string[] = []
  const stops: Stop[] = []
  let ended: Ended | undefined
  const start = async (words: readonly string[], blow?: Blow): Promise<Ended> => {
    const one = await runOpsbook(words, environment(sandbox, dataDir), blow)
    story.push(`${words[0]}: ${blow?.name ?? 'left alone'}: ${one.signal ?? one.code}`)
    if (one.isStuck) complaints.push(`${words[0]} did not end: ${JSON.stringify(one.last)}`)
    return one
  }
  for (const blow of [...scenario.blows, undefined]) {
    const runId = readJournal(dataDir)?.run.run_id
    const words = runId === undefined ? ['run', runbook, '--input', `tag=${scenario.tag}`] : ['resume', runId]
    // Two at once: one of them is refused, or comes when the other is over.
    const hasRival = runId !== undefined && !blow && scenario.hasRivals
    const [first, rival] = await Promise.all([start(words, blow), ...(hasRival ? [start(words)] : [])])
    ended = rival?.last?.type === 'run_finished' ? rival : first
    complaints.push(...fileProblems(dataDir))
    const journal = readJournal(dataDir)
    if (journal && hasEnded(journal.run.status)) break
    if (!blow) complaints.push(`the run is ${journal?.run.status} and not at its end: ${ended.stderr}`)
    stops.push({ journal, lastRequest: (await settledRequests(sandbox)).at(-1)?.number ?? 0 })
  }
  return { ended, stops, story, complaints }
}

function environment({ url }: SandboxProcess, dataDir: string): Record<string, string> {
  return { OPSBOOK_BASE_URL: url, OPSBOOK_APP_KEY: 'sandbox-owner', OPSBOOK_DATA_DIR: dataDir }
}

async function judge(
  journal: Journal,
  stops: readonly Stop[],
  sandbox: SandboxProcess,
): Promise<readonly string[]> {
  const requests = await settledRequests(sandbox)
  const applications = await sandbox.applications()
  const changes = (await sandbox.audit()).map(({ request_id }) => request_id)
  return [
    ...compare({ journal, stops, requests, applications, changes, batchesReads: true }),
    ...checkFiles(journal),
    ...checkRecord(journal),
  ]
}

const codes: Readonly<Record<string, number>> = { succeeded: 0, failed: 1, unknown: 4 }

/** What the last process said of the end must be what the journal says, unless it could not say it any more. */
function checkEnd(ended: Ended | undefined, status: string): readonly string[] {
  if (!ended || ended.signal !== null || ended.last?.type !== 'run_finished') return []
  return [
    ...(ended.code === codes[status] ? [] : [`the code is ${ended.code} for a run that is ${status}`]),
    ...(ended.last.status === status
      ? []
      : [`the last line says ${ended.last.status} of a run that is ${status}`]),
    ...(/^\s+at /m.test(ended.stderr) ? [`a stack trace: ${ended.stderr}`] : []),
  ]
}

/** A run that is over is not carried on: what is done is done, and what nobody knows needs a person. */
async function askAgain(
  { run }: Journal,
  sandbox: SandboxProcess,
  dataDir: string,
): Promise<readonly string[]> {
  const before = await settledRequests(sandbox)
  const { code } = await runOpsbook(['resume', run.run_id], environment(sandbox, dataDir), undefined)
  const sent = (await settledRequests(sandbox)).length - before.length
  const expected = run.status === 'unknown' ? 4 : 2
  return [
    ...(code === expected ? [] : [`resuming a run that is ${run.status} ends with ${code}`]),
    ...(sent === 0 ? [] : [`resuming a run that is ${run.status} sends ${sent} requests`]),
  ]
}
