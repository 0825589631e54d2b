import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker'

/** A line that the SDK logs. */
export interface WorkerLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** What the runtime of the SDK does besides working. */
export interface RuntimeOptions {
  /** Offers the SDK's metrics to Prometheus there, on the loopback address. */
  readonly metricsPort?: number
}

let write: (line: WorkerLogLine) => void = () => {}
let isPrepared = false

/**
 * Sends what the SDK logs to `sink`, and leaves signals to the caller. There is one runtime in a process: whoever comes
 * later only changes the sink. Before the first worker.
 */
export function prepareRuntime(
  sink: (line: WorkerLogLine) => void,
  { metricsPort }: RuntimeOptions = {},
): void {
  write = sink
  if (isPrepared) return
  isPrepared = true
  const metrics = { prometheus: { bindAddress: `127.0.0.1:${metricsPort}`, countersTotalSuffix: true } }
  Runtime.install({
    // By itself the SDK ends workers at a signal, past whoever started them.
    shutdownSignals: [],
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
      const name = level === 'TRACE' ? 'debug' : (level.toLowerCase() as WorkerLogLine['level'])
      write({ level: name, message, fields: meta ?? {} })
    }),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      ...(metricsPort === undefined ? {} : { metrics }),
    },
  })
}
