/** Configuration of the command: `opsbook.yaml`, then the environment, then flags. */
export {
  type Connection,
  chooseConnection,
  hasDefaultConnection,
  requireConnectionName,
} from './connection.ts'
export { chooseDataDir, prepareDataDir } from './data-dir.ts'
export {
  type Configuration,
  readConfiguration,
  readLeniently,
  readRunConfiguration,
  readUntrusted,
} from './read-configuration.ts'
export { createSecretStore } from './secret-store.ts'
