import type { Client } from '../../api/index.ts'
import type { CatchPlan, Plan, StepPlan } from '../../core/plan.ts'
import { errorData, RunbookError } from '../../core/run-error.ts'

/** The client of a connection, opened when it is first asked for. What fails here has not been sent. */
export type Connect = (name: string | undefined) => Promise<Client>

/** Opens the client of a connection; that of the default one without a name. */
export type OpenConnection = (name: string | undefined) => Client | Promise<Client>

/** One client for each connection. Those that the plan names are opened at once: one that is missing is found now. */
export async function openConnections(open: OpenConnection, plan: Plan): Promise<Connect> {
  const clients = new Map<string | undefined, Promise<Client>>()
  const connect: Connect = (name) => {
    const client = clients.get(name) ?? openOne(open, name)
    clients.set(name, client)
    return client
  }
  await Promise.all(connectionNames(plan).map(connect))
  return connect
}

async function openOne(open: OpenConnection, name: string | undefined): Promise<Client> {
  try {
    return await open(name)
  } catch (thrown) {
    const { code, message } = errorData(thrown)
    throw new RunbookError(code, message, { notSent: true, cause: thrown })
  }
}

/** Every connection that a step of the plan, or of a runbook that it runs, names. */
function connectionNames(plan: Plan): readonly string[] {
  const plans = [plan, ...Object.values(plan.children ?? {})]
  const names = plans.flatMap((one) => [
    ...namesInSteps(one.steps),
    ...namesInCatch(one.catch),
    ...namesInSteps(one.finally),
  ])
  return [...new Set(names)]
}

function namesInSteps(steps: readonly StepPlan[] = []): readonly string[] {
  return steps.flatMap((step) => [...namesInCatch(step.catch), ...namesInBody(step)])
}

function namesInCatch(entries: readonly CatchPlan[] = []): readonly string[] {
  return entries.flatMap(({ steps }) => namesInSteps(steps))
}

function namesInBody(step: StepPlan): readonly string[] {
  switch (step.kind) {
    case 'uses':
      return step.uses.connection === undefined ? [] : [step.uses.connection]
    case 'block':
      return [...namesInSteps(step.steps), ...namesInSteps(step.finally)]
    case 'parallel':
      return namesInSteps(step.branches)
  }
}
