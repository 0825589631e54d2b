import { isMap, isPair, isScalar, isSeq, type Node, type Pair } from 'yaml'
import type { JsonPath } from '../json-path.ts'

/** The node at a path, or undefined where the path ends or goes through an alias. */
export function findNode(contents: Node | undefined, path: JsonPath): Node | undefined {
  let node: unknown = contents
  for (const part of path) {
    if (typeof part === 'number') node = isSeq(node) ? node.items[part] : undefined
    else node = findPair(node, part)?.value
  }
  return isPair(node) ? (node.key as Node) : ((node as Node | null | undefined) ?? undefined)
}

/** The pair of a key in a map. */
export function findPair(
  holder: unknown,
  key: string | number | undefined,
): Pair<Node, Node | null> | undefined {
  if (isPair(holder)) return holder as Pair<Node, Node | null>
  if (!isMap(holder)) return undefined
  return holder.items.find((item) => keyOf(item) === key) as Pair<Node, Node | null> | undefined
}

function keyOf({ key }: Pair): string | undefined {
  if (!isScalar(key)) return undefined
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}
