/** The addresses of the callbacks of a run, by name: other systems send events to them. */
export type CallbackAddresses = Readonly<Record<string, string>>

/** The name under which the events of a callback are recorded, in the place of a hook. No hook has such a name. */
export function callbackHook(runId: string, name: string): string {
  return `callbacks/${runId}/${name}`
}

/** Whether an event with this hook is one of a callback. */
export function isCallback(hook: string): boolean {
  return hook.startsWith('callbacks/')
}

/** The secret part of each address: whoever knows it can send events to the run. */
export function callbackTokens(addresses: CallbackAddresses = {}): readonly string[] {
  return Object.values(addresses).map((address) => address.slice(address.lastIndexOf('/') + 1))
}
