/** A message without what differs from item to item: the name of the item, hosts, addresses, ids and numbers. */
export function commonText(message: string, item?: string): string {
  const plain = message
    .slice(0, 4 * mostCharacters)
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/"')]+/gi, `$1${cutOut}`)
    .replaceAll(/[\w.:@-]*\d(?:[\w.:@-]*\w)?/g, cutOut)
    .replaceAll(hostName, cutOut)
  // A name with a number is cut out already, with the word around it.
  const named = item === undefined || item === '' ? plain : plain.replaceAll(nameIn(item), cutOut)
  return startOfMessage(named.replaceAll(/…(\S?…)+/g, cutOut))
}

/** The first 200 characters of a message. */
export function startOfMessage(text: string): string {
  const characters = [...text]
  return characters.length <= mostCharacters
    ? text
    : `${characters.slice(0, mostCharacters).join('')}${cutOut}`
}

const mostCharacters = 200
const cutOut = '…'
const hostName = /\b[\w-]+(\.[\w-]+)*\.(com|org|net|io|dev|cloud|internal|local|lan|corp|test|example)\b/gi

/** Where a name stands: a short one only as a word of its own. */
function nameIn(item: string): string | RegExp {
  if (item.length >= 3) return item
  const literal = item.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}_'-])${literal}(?![\\p{L}\\p{N}_'-])`, 'gu')
}
