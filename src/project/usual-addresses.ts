/** Where commands listen unless a flag or `opsbook.yaml` names another address; port 0 picks a free one. */
export const usualAddresses = {
  serve: '127.0.0.1:8687',
  console: '127.0.0.1:8688',
  /** Health and metrics of `serve`, where other machines can reach its hooks. */
  health: '127.0.0.1:8689',
  sandboxPort: 8686,
} as const

/** The Temporal server of runs, where neither the environment nor a file names another: one on this machine. */
export const usualTemporal = {
  address: 'localhost:7233',
  namespace: 'default',
  taskQueue: 'opsbook',
} as const
