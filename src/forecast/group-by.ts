/** The items of each key, in their order. Node has it as Map.groupBy from version 21 on. */
export function groupBy<Item, Key>(
	items: readonly Item[],
	keyOf: (item: Item) => Key,
): Map<Key, [Item, ...Item[]]> {
	const groups = new Map<Key, [Item, ...Item[]]>();
	for (const item of items) {
		const group = groups.get(keyOf(item));
		if (group === undefined) groups.set(keyOf(item), [item]);
		else group.push(item);
	}
	return groups;
}
