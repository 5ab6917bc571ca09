/** All calls of a burst share one list, however many there are: what each needs of it is made once. */
export function perList<List extends object, Made>(make: (list: List) => Made): (list: List) => Made {
	const known = new WeakMap<List, Made>();
	return (list) => {
		const made = known.get(list) ?? make(list);
		known.set(list, made);
		return made;
	};
}
