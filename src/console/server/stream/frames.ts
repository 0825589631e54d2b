import type { LiveRunView } from '../../../view/run/index.ts'

/** Rates and waits change without events, too: they are sent every 5 seconds. */
const framesOfPulse = 20
/** Larger states are sent in several frames. */
const mostFrameCharacters = 30_000

/** One who watches a run. */
export interface Viewer {
  /** The number of the last event in what it was sent. Undefined: it needs everything. */
  seq: number | undefined
  /** Whether what it was sent last has left. */
  isReady(): boolean
  send(frames: readonly string[]): void
  /** The run is not followed any more. Who still wants to watch it asks again. */
  end(): void
}

/** All who watch one run. */
export interface Audience {
  readonly viewers: Set<Viewer>
  /** How often the newest state was sent. */
  frames: number
  /** The nodes that time had changed at the last pulse. */
  pulsed: string
}

/** What frames are made of. */
interface FrameSource {
  readonly view: LiveRunView
  mask<T extends object>(document: T): T
}

/** Viewers that have the same get the same frames, made once. A slow one gets the newest state when it is ready. */
export function sendNew(run: FrameSource, audience: Audience, only?: Viewer): void {
  const { view } = run
  const isPulse =
    only === undefined && ++audience.frames % framesOfPulse === 0 && hasTimeChanged(view, audience)
  const made = new Map<number | undefined, readonly string[]>()
  for (const viewer of only === undefined ? audience.viewers : [only]) {
    if (!viewer.isReady() || (viewer.seq === view.seq && !isPulse)) continue
    const frames = made.get(viewer.seq) ?? framesOf(run, viewer.seq, isPulse)
    made.set(viewer.seq, frames)
    viewer.seq = view.seq
    viewer.send(frames)
  }
}

function hasTimeChanged(view: LiveRunView, audience: Audience): boolean {
  const before = audience.pulsed
  audience.pulsed = JSON.stringify(view.view(Date.now(), view.seq, true).nodes)
  return audience.pulsed !== before && audience.pulsed !== '[]'
}

function framesOf(
  { view, mask }: FrameSource,
  afterSeq: number | undefined,
  isPulse: boolean,
): readonly string[] {
  const { nodes, ...rest } = mask(view.view(Date.now(), afterSeq, isPulse))
  const { is_whole: _, ...later } = rest
  return inParts(nodes).map((part, place) =>
    frameText('view', { ...(place === 0 ? rest : later), nodes: part }, view.seq),
  )
}

/** Nodes in parts that are not too large for a frame. There is always a part. */
function inParts(nodes: readonly object[]): readonly (readonly object[])[] {
  const parts: object[][] = [[]]
  let size = 0
  for (const node of nodes) {
    const length = JSON.stringify(node).length
    if (size > 0 && size + length > mostFrameCharacters) {
      parts.push([])
      size = 0
    }
    parts.at(-1)?.push(node)
    size += length
  }
  return parts
}

/** An event of the stream. */
export function frameText(event: string, data: object, id?: number): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
}
