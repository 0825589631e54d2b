/** `opsbook.yaml` and what it names: the data directory, connections, secrets, hooks and notifications. */
export { publicUrls, readCallbacks, readConfiguredCallbackKey } from './callbacks.ts'
export { chooseDataDir, prepareDataDir, readDataDir } from './data-dir.ts'
export { notifyTargets, readNotifyAddress } from './notify-targets.ts'
export { peopleOf } from './people-of.ts'
export {
  type Configuration,
  configurationName,
  readConfiguration,
  readLeniently,
  readRunConfiguration,
  readUntrusted,
} from './read-configuration.ts'
export { readReference } from './read-reference.ts'
export {
  type HttpConnectionDocument,
  httpConnections,
  serviceConnections,
} from './schema/connections-schema.ts'
export { type ConsoleDocument, consoleAddress, type OidcAuthDocument } from './schema/console-schema.ts'
export { configurationDefaults } from './schema/defaults.ts'
export { type HookAuthDocument, keepKeysMs, noHook } from './schema/hooks-schema.ts'
