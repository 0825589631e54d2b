/** The services that runs and calls use, opened: with their clients, limits and sandboxes. */
export {
  type FurtherConnection,
  openClient,
  openClients,
  resolveConnection,
  resolveRunService,
  sandboxKey,
} from './open-service.ts'
export { shareLimits, shareLimitsIfPossible } from './share-limits.ts'
