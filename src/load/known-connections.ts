/** The connections of `opsbook.yaml`, by name. */
export interface KnownConnections {
  readonly types: Readonly<Record<string, ConnectionType>>
  /** Why a name that is not among them may be one all the same. Left out: it is none. */
  readonly notComplete?: string
  /** The secrets of `opsbook.yaml`, by name. Left out: they are not checked. */
  readonly secrets?: readonly string[]
  /** There is no `opsbook.yaml` here, which could also allow commands. */
  readonly hasNoFile?: true
}

/** What a connection leads to: the service, or any other system. */
export type ConnectionType = 'service' | 'http'
