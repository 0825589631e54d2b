import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker'

/** A line that the SDK logs. */
export interface WorkerLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Options of the runtime of the SDK. */
export interface RuntimeOptions {
  /** Serves the SDK's metrics for Prometheus on this port of the loopback address. */
  readonly metricsPort?: number
}

let write: (line: WorkerLogLine) => void = () => {}
let isPrepared = false

/**
 * Sends the log of the SDK to `sink`, and leaves signals to the caller. Call it before the first worker starts. A process
 * has one runtime: a later call only replaces the sink.
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
    // By default the SDK stops workers at a signal, and their owner does not know.
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
