/** The runbooks of the folder here. */
import type { Plan } from '../../../core/plan/index.ts'
import type { Check, Runbook, RunbookSummary, Runbooks } from '../../../documents/index.ts'
import { lookUpActions } from '../../../project/actions/index.ts'
import { CommandError, type ProjectContext } from '../../../project/index.ts'
import {
  isSameName,
  listOwnRunbooks,
  type NamedRunbook,
  shortPath,
} from '../../../project/runbook-files/index.ts'
import { loadEach } from '../../../project/runbooks/index.ts'
import { drawGraph, writeSvg } from '../../../view/graph/index.ts'
import { triggerDocuments } from '../plan/to-document.ts'
import { failedCheck } from '../system/check.ts'

/** A runbook of the folder here: its plan, or what is wrong with it. */
interface Known extends NamedRunbook {
  readonly plan?: Plan
  readonly problem?: Check
}

/** The runbooks of the folder here. A broken one has its findings. */
export async function readRunbooksDocument(context: ProjectContext): Promise<Runbooks> {
  const runbooks = await Promise.all(
    (await listOwnRunbooks(context.io)).map(async (one) => summaryOf(await load(one, context), context)),
  )
  return { runbooks }
}

/** One runbook of the folder here, with the schema of its inputs. */
export async function readRunbookDocument(name: string, context: ProjectContext): Promise<Runbook> {
  const known = await load(await findOwnRunbook(name, context), context)
  const { plan } = known
  if (plan === undefined) return summaryOf(known, context)
  return {
    ...summaryOf(known, context),
    plan_hash: plan.hash,
    inputs: plan.inputs ?? { type: 'object', properties: {} },
    secrets: [...(plan.secrets ?? [])],
    ...(plan.text === undefined ? {} : { text: plan.text }),
  }
}

/** The graph of a runbook of the folder here, as SVG. */
export async function drawRunbook(name: string, context: ProjectContext): Promise<string> {
  const { plan, problem } = await load(await findOwnRunbook(name, context), context)
  if (plan) return writeSvg(drawGraph(plan))
  throw new CommandError('usage', problem?.message ?? `${name} is not valid`, {
    code: 'InvalidRunbook',
  })
}

/** Finds a runbook by its name alone: what comes from an address is never a path. */
export async function findOwnRunbook(given: string, context: ProjectContext): Promise<NamedRunbook> {
  const known = await listOwnRunbooks(context.io)
  const found = known.find(({ name }) => isSameName(name, given))
  if (found) return found
  const names = known.map(({ name }) => name).join(', ')
  throw new CommandError('usage', `there is no runbook "${given}"`, {
    code: 'RunbookNotFound',
    hints: [names === '' ? 'there are no runbooks in ./runbooks' : `runbooks by name: ${names}`],
  })
}

async function load(one: NamedRunbook, context: ProjectContext): Promise<Known> {
  const { actions, notLoaded } = await lookUpActions(context.io, false)
  const { loaded, refused } = await loadEach([one.file], actions, context, { notLoaded, isQuiet: true })
  const [plan, error] = [loaded[0]?.plan, refused[0]?.error]
  return {
    ...one,
    ...(plan === undefined ? {} : { plan }),
    ...(error === undefined ? {} : { problem: failedCheck(one.name, error) }),
  }
}

function summaryOf({ name, file, plan, problem }: Known, { io }: ProjectContext): RunbookSummary {
  return {
    name: plan?.name ?? name,
    file: shortPath(file, io),
    ...(plan?.title === undefined ? {} : { title: plan.title }),
    ...(plan?.description === undefined ? {} : { description: plan.description }),
    labels: plan?.labels ?? {},
    triggers: triggerDocuments(plan?.triggers, Date.now()),
    ...(problem === undefined ? {} : { problem: { message: problem.message, hints: problem.hints ?? [] } }),
  }
}
