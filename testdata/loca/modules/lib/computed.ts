const found: string = "found";

export default found;
