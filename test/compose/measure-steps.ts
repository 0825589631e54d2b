import { fileURLToPath } from 'node:url'
import type { WorkflowClient } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import type { takeSteps } from './step-workflow.ts'

/** Has a worker of its own do some steps. Answers with what a step and a nap of 20 ms took, in milliseconds. */
export async function measureSteps(
  workflow: WorkflowClient,
  address: string,
  namespace: string,
): Promise<{ readonly stepMs: number; readonly napMs: number }> {
  Runtime.install({ logger: new DefaultLogger('ERROR') })
  const connection = await NativeConnection.connect({ address })
  const taskQueue = 'steps'
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./step-workflow.ts', import.meta.url)),
    activities: { step: async () => {} },
  })
  const order = { taskQueue, workflowId: 'steps', args: [50, 10] as [number, number] }
  const [stepMs, napMs] = await worker.runUntil(workflow.execute<typeof takeSteps>('takeSteps', order))
  await connection.close()
  return { stepMs, napMs }
}
